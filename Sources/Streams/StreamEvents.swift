import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Events of a stream without objects, and the framing of all events.
package struct StreamEvents: Sendable {
    let framing: any EventFraming
    /// Seconds after which an idle stream says that all is well.
    let heartbeatSeconds: Int

    /// Makes events.
    package init(_ framing: any EventFraming, heartbeatSeconds: Int) {
        self.framing = framing
        self.heartbeatSeconds = heartbeatSeconds
    }

    /// The first event of every stream. `cursor` is where a client may resume: what it had, if it
    /// resumes, and `start` before it has got anything.
    ///
    /// It says how soon to come back, each stream something else: thousands must not do so in one second.
    func hello(_ cursor: String, isID: Bool = false) -> SharedBytes {
        let buffer = ByteBuffer()
        framing.retry(after: Int.random(in: 1_000...5_000), in: buffer)
        return event("hello", id: isID ? cursor : nil, in: buffer) { data in
            data.member("cursor").string(cursor)
            data.member("heartbeat").int(Int64(heartbeatSeconds))
        }
    }

    /// From here on the events of a query are live.
    ///
    /// - `cursor`: Behind which the client may resume; nil while other queries of its stream are not so far.
    func upToDate(_ cursor: String?, of query: CheckedStream) -> SharedBytes {
        event("upToDate", of: query, id: cursor) { data in
            if let cursor { data.member("cursor").string(cursor) }
        }
    }

    /// Tells that the client's result of a query is void; a snapshot follows.
    ///
    /// - `generation`: That of a stream of several queries which the query was added in.
    func reset(
        _ reason: ResetReason, of query: CheckedStream? = nil, generation: Int? = nil,
        in buffer: ByteBuffer = ByteBuffer()
    ) -> SharedBytes {
        event("reset", of: query, id: StreamCursor.start.text, in: buffer) { data in
            if let generation { data.member("generation").int(Int64(generation)) }
            data.member("reason").string(reason.rawValue)
        }
    }

    /// Keeps the connection and moves the point to resume from, where there is one.
    func heartbeat(_ cursor: String?) -> SharedBytes {
        let buffer = ByteBuffer(capacity: 64)
        framing.heartbeat(id: cursor, in: buffer)
        return SharedBytes(buffer)
    }

    /// A query ends because it is not valid any more, and the stream with it unless that has others.
    ///
    /// - `generation`: As of ``reset(_:of:generation:in:)``.
    /// - `isOtherView`: Whether the client's user may read something else by now, so that what it has of the query is void.
    /// - `endsAll`: Whether a stream of several queries ends: what is wrong concerns all of them.
    func error(
        _ fault: RequestFault, of query: CheckedStream, generation: Int?, isOtherView: Bool,
        endsAll: Bool
    ) -> SharedBytes {
        let buffer = ByteBuffer()
        if isOtherView {
            _ = reset(.accessChanged, of: query, generation: generation, in: buffer)
        }
        return error(code: fault.code, fault.detail, of: endsAll ? nil : query, in: buffer)
    }

    /// The stream ends for a reason with a stable code.
    package func error(
        code: String, _ detail: String, of query: CheckedStream? = nil,
        in buffer: ByteBuffer = ByteBuffer()
    ) -> SharedBytes {
        event("error", of: query, in: buffer) { data in
            data.member("code").string(code)
            data.member("detail").string(detail)
        }
    }

    /// - `query`: The query that the event is about, which it names where the stream has several.
    private func event(
        _ name: StaticString, of query: CheckedStream? = nil, id: String? = nil,
        in buffer: ByteBuffer = ByteBuffer(), _ write: (inout JSONObjectWriter) -> Void
    ) -> SharedBytes {
        framing.begin(name, id: id, in: buffer)
        JSONWriter(buffer).object { data in
            if let name = query?.definition.telling.query { data.member("query").string(name) }
            write(&data)
        }
        framing.end(id: nil, in: buffer)
        return SharedBytes(buffer)
    }
}

/// Why a stream restarts.
enum ResetReason: String, Sendable {
    case start
    case overrun = "fell-behind"
    case cursorExpired = "cursor-expired"
    case schemaChanged = "schema-changed"
    case restored
    case accessChanged = "access-changed"

    /// Tells why the change log does not lead on from a version.
    ///
    /// - Throws: ``RequestFault`` when storage fails.
    init(_ gap: FoldedChanges.Gap, _ served: ServedStore) throws(RequestFault) {
        switch gap {
        case .storage(let error): throw served.fault(.storage(error))
        case .expired: self = .cursorExpired
        case .future: self = .restored
        }
    }
}
