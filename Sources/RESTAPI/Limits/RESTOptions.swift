import StoreService

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
    /// Seconds between heartbeats of an event stream.
    package var heartbeatSeconds = 15

    /// Makes the defaults.
    package init() {}
}
