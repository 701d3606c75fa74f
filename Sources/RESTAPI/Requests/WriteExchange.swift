import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// An exchange that waits for a write.
package struct WriteExchange: WriteWaiter {
    let service: RESTService
    /// The grant of the request.
    let grant: Grant?
    /// The destination of the reply; nil once that is on its way.
    var exchange: Exchange?

    package func wake<Body: WriteBody>(_ write: ServedWrite<Body, WriteExchange>) {
        write.waiter.exchange.take()?.respond(write)
    }

    package func tell<Body: WriteBody>(_ write: ServedWrite<Body, WriteExchange>) {
        write.waiter.exchange.take()?.respond(write.makeResponse())
    }
}

extension ServedWrite where Waiter == WriteExchange {
    /// Hands the write in; the exchange is answered when it is durable.
    func start(_ exchange: Exchange) {
        waiter.exchange = exchange
        start()
    }
}

extension ServedWrite: ResponseSource where Waiter == WriteExchange {
    package func makeResponse() -> Response {
        let service = waiter.service
        let response = service.replying(to: waiter.grant) { () throws(RequestFault) in
            service.response(to: try answer())
        }
        end()
        return response
    }
}
