import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// The event for the followers of a property.
///
/// Differences of lists must be applied once, so they are all in one event, after which a client may resume.
enum PropertyEvent {
    case nothing
    /// An event. If a snapshot was sent in part, `knownCount` is the number of elements that the client has after the event.
    case event(SharedBytes, knownCount: Int?)
    /// The changes cannot be reported or are too large, so a snapshot is sent.
    case unknown
}

/// Writes the changes of a property, from the present state.
struct PropertyEvents {
    /// The maximum bytes of an event of elements. If it is larger, a snapshot is sent instead.
    private static let byteCountMax = 1 << 20

    let stream: CheckedStream
    let property: ObservedProperty
    let read: ReadTransaction
    let served: ServedStore
    let framing: any EventFraming

    /// Writes the event of an outcome.
    ///
    /// - `version`: The version of the state.
    /// - `knownCount`: The number of first elements that a client knows; nil for all.
    /// - Throws: ``RequestFault`` when storage fails or a value is too large.
    func news(
        of outcome: PropertyOutcome, version: UInt64, knownCount: Int? = nil
    ) throws(RequestFault) -> PropertyEvent {
        if case .nothing = outcome { return .nothing }
        if case .unknown = outcome { return .unknown }
        guard case .list(let all) = outcome else {
            // While a snapshot is sent in part, only a list's elements can be corrected.
            return knownCount == nil ? try event(outcome, version, nil) : .unknown
        }
        let (part, count) = knownCount.map { all.ofFirst($0) } ?? (all, 0)
        if part.isEmpty { return .nothing }
        guard part.count <= ObservedProperty.elementCountMax else { return .unknown }
        return try event(.list(part), version, knownCount.map { _ in count })
    }

    private func event(
        _ outcome: PropertyOutcome, _ version: UInt64, _ count: Int?
    ) throws(RequestFault) -> PropertyEvent {
        let owner = try stream.owner(property, in: read, served)
        var writer = PropertyWriter(stream, property, read, served.limits)
        let cursor = stream.cursor(StoreVersion(epoch: read.epoch, number: version))
        framing.begin("change", id: count == nil ? cursor : nil, in: writer.buffer)
        writer.buffer.append("{\"version\":\"\(cursor)\",\"op\":")
        guard writer.write(outcome, owner, byteCountMax: Self.byteCountMax) else { return .unknown }
        writer.buffer.append(UInt8(ascii: "}"))
        framing.end(id: nil, in: writer.buffer)
        return .event(try writer.finish(), knownCount: count)
    }
}

/// The framing of a stream's events, as its clients read them.
package protocol EventFraming: Sendable {
    /// Writes the text before the JSON of an event.
    ///
    /// - `id`: The position from which a client may resume after the event; nil if the event does not move it, or has it at the
    ///   end.
    func begin(_ name: StaticString, id: String?, in buffer: ByteBuffer)

    /// Writes the text after the JSON of an event.
    ///
    /// - `id`: The position, if it was not known at the beginning of the event.
    func end(id: String?, in buffer: ByteBuffer)

    /// Writes the time, in milliseconds, that a client waits before it reconnects by itself.
    func retry(after milliseconds: Int, in buffer: ByteBuffer)

    /// Writes a sign of life that keeps the connection open, without an event.
    ///
    /// - `id`: The position from which a client may resume from then on; nil if it does not move.
    func heartbeat(id: String?, in buffer: ByteBuffer)
}
