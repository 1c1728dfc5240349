//go:build !unix

package guard

import "net"

// shrinkQueue and acceptWaiting do nothing on these systems. A client that connects while the
// listener closes may see a connection reset.
func shrinkQueue(net.Listener) {}

func acceptWaiting(net.Listener) net.Conn { return nil }
