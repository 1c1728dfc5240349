//go:build !unix

package guard

import "net"

// shrinkQueue and acceptWaiting do nothing. Clients that connect while the listener closes may see
// a connection reset.
func shrinkQueue(net.Listener) {}

func acceptWaiting(net.Listener) net.Conn { return nil }
