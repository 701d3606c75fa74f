import HoldfastObjectStore
import HoldfastStoreService

/// The options of the REST interface; every limit is listed by `GET /v1`.
package struct RESTOptions: Sendable {
    /// The limits of the use cases.
    package var limits = ServiceLimits()
    /// Bytes of a buffered body.
    package var bodyByteCountMax = 32 << 20
    /// Bytes that a compressed import may become for each byte that was sent, beyond the first MiB.
    package var inflationRatioMax = 256
    /// Bytes of a request target.
    package var targetByteCountMax = 16 << 10
    /// Bytes of a request line and headers together.
    package var headerByteCountMax = 16 << 10
    /// Connections at a time, streams included.
    package var connectionCountMax = 10_000
    /// Bytes of the bodies and replies of all connections that are under way.
    package var messageByteCountMax = 512 << 20
    /// Bytes a second that a client has to read of its reply, exports excepted.
    package var replyByteRateMin = 4 << 10
    /// Connections that streams and waiting polls leave to other requests, at most half of them.
    package var reservedConnectionCount = 100
    /// Requests a second of one token or user, and of one address without; 0 for any.
    package var requestRateMax = 0
    /// Event streams and waiting requests of one user at a time; for anonymous visitors, of one address.
    package var userStreamCountMax = 100
    /// Requests of one user that run or wait on the threads for long requests.
    package var userQueryCountMax = 100
    /// Failed sign-ins in a minute, for one login and for one address.
    package var signInTryCountMax = 10
    /// Sign-ins that wait for a thread that hashes passwords.
    package var waitingSignInCountMax = 256
    /// Seconds between heartbeats of an event stream.
    package var heartbeatSeconds = 15
    /// Whether the console is served at `/console/`.
    package var hasConsole = true
    /// The folder of the pages that are served beside the API; nil for none.
    package var publicFolder: PublicFolder?

    /// Makes the defaults.
    package init() {}
}

/// All limits of a service: the options of its interface and of its store.
package struct ServiceOptions: Sendable {
    /// Of the interface and its use cases.
    package var rest = RESTOptions()
    package var store = StoreOptions()

    /// Makes the defaults.
    package init() {}

    /// The options of a service that runs.
    init(_ rest: RESTOptions, _ store: StoreOptions) {
        self.rest = rest
        self.store = store
    }
}
