//go:build !unix

package guard

import "net"

// shrinkQueue and acceptWaiting do nothing: clients that connect while the listener is being closed may see a reset.
func shrinkQueue(net.Listener) {}

func acceptWaiting(net.Listener) net.Conn { return nil }
