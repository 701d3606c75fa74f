import HoldfastBytes

/// The framing of a stream's events, as its clients read them.
package protocol EventFraming: Sendable {
    /// Writes what stands before the JSON of an event.
    ///
    /// - `id`: From where a client may resume behind the event; nil where that does not move, or stands at the end.
    func begin(_ name: StaticString, id: String?, in buffer: ByteBuffer)

    /// Writes what stands behind the JSON of an event.
    ///
    /// - `id`: As at its beginning, where it was not known yet.
    func end(id: String?, in buffer: ByteBuffer)

    /// Writes how long a client waits that comes back by itself, in milliseconds.
    func retry(after milliseconds: Int, in buffer: ByteBuffer)

    /// Writes what keeps a connection, without an event.
    ///
    /// - `id`: From where a client may resume from then on; nil where that does not move.
    func heartbeat(id: String?, in buffer: ByteBuffer)
}
