import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc

extension SocketLoop {
    /// Accepts what waits, up to a bound, so that streams get their turn.
    func accept(from listener: Int32) {
        for _ in 0..<64 {
            guard server.allowance.allowsOne else { return pauseAccepting() }
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    shim_accept(listener, $0, &length)
                }
            }
            guard socket >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    server.logger.log(
                        .error, "no descriptors are left: new connections wait",
                        ("hint", .text("raise the limit of open files (LimitNOFILE, ulimit -n)")))
                    pauseAccepting()
                case ECONNABORTED, EINTR, EPROTO: continue
                default: break
                }
                return
            }
            guard server.mayAdmitConnection() else {
                refuse(socket)
                continue
            }
            server.allowance.take()
            let added = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    MHD_add_connection(server.daemon, socket, $0, length)
                }
            }
            // libmicrohttpd closes the socket itself when it cannot serve it.
            if added == .NO {
                server.connectionRefused()
                if server.allowance.give() { post(.acceptAgain) }
            }
        }
    }

    private func refuse(_ socket: Int32) {
        let reply = server.rawReply(server.overloadReply())
        _ = reply.withUnsafeBytes {
            send(socket, $0.baseAddress, $0.count, sendFlags)
        }
        post(.linger(socket))
    }

    func stopListening() {
        for socket in listeners.values {
            // A child that is just being started has the socket too; nobody connects to it from here on.
            shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }
        listeners = [:]
    }

    /// Stops watching the listening sockets, which are ready as long as a connection waits, until ``resumeAccepting()``: when
    /// the allowance has been given back, and once a second.
    private func pauseAccepting() {
        isAcceptPaused = true
        for socket in listeners.values { _ = shim_epoll_remove(epoll, socket) }
    }

    func resumeAccepting() {
        guard isAcceptPaused else { return }
        isAcceptPaused = false
        for (token, socket) in listeners
        where !watch(socket, token: token, events: shim_readable) && errno != EEXIST {
            isAcceptPaused = true
        }
    }
}
