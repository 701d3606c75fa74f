import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Events of a stream without objects, and the framing of all events.
package struct StreamEvents: Sendable {
    let framing: any EventFraming
    /// The seconds after which an idle stream sends a heartbeat.
    let heartbeatSeconds: Int

    package init(_ framing: any EventFraming, heartbeatSeconds: Int) {
        self.framing = framing
        self.heartbeatSeconds = heartbeatSeconds
    }

    /// The first event of every stream. `cursor` is the position from which a client may resume: its own if it resumes, or
    /// `start` before it has received anything.
    ///
    /// It contains a random time to wait before the client reconnects, so that thousands do not come back in one second.
    func hello(_ cursor: String, isID: Bool = false) -> SharedBytes {
        let buffer = ByteBuffer()
        framing.retry(after: Int.random(in: 1_000...5_000), in: buffer)
        return event("hello", id: isID ? cursor : nil, in: buffer) { data in
            data.member("cursor").string(cursor)
            data.member("heartbeat").int(Int64(heartbeatSeconds))
        }
    }

    /// The event after which the events of a query are live.
    ///
    /// - `cursor`: The position after which the client may resume; nil while other queries of its stream have not come so far.
    func upToDate(_ cursor: String?, of query: CheckedStream) -> SharedBytes {
        event("upToDate", of: query, id: cursor) { data in
            if let cursor { data.member("cursor").string(cursor) }
        }
    }

    /// The event by which the client's result of a query becomes void. A snapshot follows.
    ///
    /// - `generation`: The generation of a stream of several queries in which the query was added.
    func reset(
        _ reason: ResetReason, of query: CheckedStream? = nil, generation: Int? = nil,
        in buffer: ByteBuffer = ByteBuffer()
    ) -> SharedBytes {
        event("reset", of: query, id: StreamCursor.start.text, in: buffer) { data in
            if let generation { data.member("generation").int(Int64(generation)) }
            data.member("reason").string(reason.rawValue)
        }
    }

    /// Keeps the connection open and moves the position to resume from, if there is one.
    func heartbeat(_ cursor: String?) -> SharedBytes {
        let buffer = ByteBuffer(capacity: 64)
        framing.heartbeat(id: cursor, in: buffer)
        return SharedBytes(buffer)
    }

    /// A query ends because it is not valid any more. The stream ends with it, unless it has others.
    ///
    /// - `generation`: As for ``reset(_:of:generation:in:)``.
    /// - `isOtherView`: Whether the client's user may read something else now, so that its result of the query is void.
    /// - `endsAll`: Whether a stream of several queries ends, because the error concerns all of them.
    func error(
        _ fault: RequestFault, of query: CheckedStream, generation: Int?, isOtherView: Bool,
        endsAll: Bool
    ) -> SharedBytes {
        let buffer = ByteBuffer()
        if isOtherView { _ = reset(.accessChanged, of: query, generation: generation, in: buffer) }
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

    /// - `query`: The query of the event. The event names it if the stream has several.
    private func event(
        _ name: StaticString, of query: CheckedStream? = nil, id: String? = nil,
        in buffer: ByteBuffer = ByteBuffer(), _ write: (inout JSONObjectWriter) -> Void
    ) -> SharedBytes {
        framing.begin(name, id: id, in: buffer)
        JSONWriter(buffer).object { data in
            if let name = query?.definition.eventOptions.query { data.member("query").string(name) }
            write(&data)
        }
        framing.end(id: nil, in: buffer)
        return SharedBytes(buffer)
    }
}

/// The reason why a stream restarts.
enum ResetReason: String, Sendable {
    case start
    case fellBehind = "fell-behind"
    case cursorExpired = "cursor-expired"
    case schemaChanged = "schema-changed"
    case restored
    case accessChanged = "access-changed"

    /// The reason why the change log does not continue after a version.
    ///
    /// - Throws: ``RequestFault`` if storage fails.
    init(_ gap: FoldedChanges.Gap, _ served: ServedStore) throws(RequestFault) {
        switch gap {
        case .storage(let error): throw served.fault(.storage(error))
        case .expired: self = .cursorExpired
        case .future: self = .restored
        }
    }
}
