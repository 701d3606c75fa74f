import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// The news for the followers of a property.
///
/// Differences of lists must be applied once, so all of them are one event, behind which a client may resume.
enum PropertyNews {
    case nothing
    /// An event; and of a snapshot that has been told in part how many elements the client has behind it.
    case event(SharedBytes, knownCount: Int?)
    /// It can't be told, or is much: a snapshot has to.
    case unknown
}

/// Writes what became of a property, from the state that is told.
struct PropertyEvents {
    /// Bytes of an event of elements behind which a snapshot is sent instead.
    private static let byteCountMax = 1 << 20

    let stream: CheckedStream
    let property: ObservedProperty
    let read: ReadTransaction
    let served: ServedStore
    let framing: any EventFraming

    /// Writes what there is to tell.
    ///
    /// - `version`: That of the state.
    /// - `knownCount`: How many of the first elements a client knows; nil for all.
    /// - Throws: ``RequestFault`` when storage fails or a value is too large.
    func news(
        of outcome: PropertyOutcome, version: UInt64, knownCount: Int? = nil
    ) throws(RequestFault) -> PropertyNews {
        if case .nothing = outcome { return .nothing }
        if case .unknown = outcome { return .unknown }
        guard case .list(let all) = outcome else {
            // Of a snapshot that is not told yet only a list's elements can be set right.
            return knownCount == nil ? try event(outcome, version, nil) : .unknown
        }
        let (part, count) = knownCount.map { all.ofFirst($0) } ?? (all, 0)
        if part.isEmpty { return .nothing }
        guard part.count <= ObservedProperty.elementCountMax else { return .unknown }
        return try event(.list(part), version, knownCount.map { _ in count })
    }

    private func event(
        _ outcome: PropertyOutcome, _ version: UInt64, _ count: Int?
    ) throws(RequestFault) -> PropertyNews {
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
