import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// Writes the events of a followed result from a view.
struct ResultWriter {
    let stream: CheckedStream
    let read: ReadTransaction
    /// The version that ``read`` sees.
    let version: UInt64
    let served: ServedStore
    let framing: any EventFraming

    /// The bytes after which an event continues in another one.
    private static let partByteCount = 256 << 10

    /// Whether the text of changes is an event of its own, and not a piece of several queries' event.
    private var isEvent: Bool { stream.definition.eventOptions.query == nil }

    private var id: String { stream.cursor(StoreVersion(epoch: read.epoch, number: version)) }

    private var hasSections: Bool {
        if case .sections = stream.result { true } else { false }
    }

    private func makeWriter() -> ChangeWriter { ChangeWriter(stream, read, served.limits) }

    private func identity(_ key: UInt64) -> ObjectIdentity {
        ObjectIdentity(classIndex: stream.observed.classIndex ?? 0, key: key)
    }

    // MARK: Whole results

    /// The event with the reply of an aggregate.
    func value(_ value: ByteBuffer) -> SharedBytes {
        let buffer = ByteBuffer(capacity: value.count + 128)
        framing.begin("value", id: id, in: buffer)
        buffer.append(value.bytes)
        framing.end(id: nil, in: buffer)
        return SharedBytes(buffer)
    }

    /// The events with all objects in order.
    func snapshot(_ result: LiveResult) throws(RequestFault) -> [SharedBytes] {
        var pieces: [SharedBytes] = []
        var byteCount = 0
        var writer = makeWriter()
        var isFirst = true
        func end() throws(RequestFault) {
            writer.raw("]}")
            framing.end(id: nil, in: writer.buffer)
            let piece = try writer.finish()
            byteCount += piece.count
            guard byteCount <= served.limits.queryMemoryByteCountMax else {
                throw .queryMemory(served.limits)
            }
            pieces.append(piece)
            writer = makeWriter()
            isFirst = true
        }
        /// Calls `body` to write an element of a piece's array.
        func add(_ body: () -> Void) throws(RequestFault) {
            if isFirst {
                framing.begin("snapshot", id: nil, in: writer.buffer)
                writer.raw(hasSections ? "{\"sections\":[" : "{\"objects\":[")
            } else {
                writer.raw(",")
            }
            isFirst = false
            body()
            if writer.byteCount >= Self.partByteCount { try end() }
        }
        func write(_ key: UInt64) {
            if let row = read.row(classIndex: identity(key).classIndex, key: key) {
                writer.writeSnapshot(row, identity(key))
            }
        }
        for section in result.sections {
            guard hasSections else {
                for key in section.objects { try add { write(key) } }
                continue
            }
            try add {
                writeHead(of: section, to: writer)
                writer.raw(",\"objects\":[")
                for (index, key) in section.objects.enumerated() {
                    if index > 0 { writer.raw(",") }
                    write(key)
                }
                writer.raw("]}")
            }
        }
        if !isFirst { try end() }
        return pieces
    }

    /// Writes the beginning of a section.
    ///
    /// - `index`: Its index, if it does not follow from its position.
    private func writeHead(
        of section: LiveResult.Section, at index: Int? = nil, to writer: ChangeWriter
    ) {
        writer.raw("{")
        if let index { writer.text("\"index\":\(index),") }
        writer.raw("\"key\":")
        section.key.withUnsafeBytes { writer.buffer.append($0) }
        writer.text(",\"count\":\(section.count)")
    }

    // MARK: Changes

    /// The event of the changes, in parts if it is large; empty if nothing has changed. If the client has several queries, it is
    /// the entries of one query, and the last entry has the indices.
    ///
    /// The candidates are the changes of objects in the change log, by object key. The events decide how much of them is visible.
    func changes(
        _ difference: ResultDifference, _ result: LiveResult,
        _ candidates: [UInt64: ObservedCandidate], _ events: CatchUpEvents
    ) throws(RequestFault) -> [SharedBytes] {
        if difference.isEmpty { return [] }
        var parts: [SharedBytes] = []
        var writer = makeWriter()
        var count = 0
        if isEvent { writer.beginChangeEvent(version: version, framing) }
        func write(_ kind: QueryEvent.Kind, _ key: UInt64, at index: LiveResult.Index? = nil)
            throws(RequestFault)
        {
            if writer.byteCount >= Self.partByteCount {
                if isEvent { writer.endChangeEvent(framing) }
                parts.append(try writer.finish())
                writer = makeWriter()
                if isEvent { writer.beginChangeEvent(version: version, framing) }
                count = 0
            }
            if count > 0 { writer.raw(",") }
            count += 1
            let candidate = candidates[key]
            let event = QueryEvent(
                kind: kind, identity: identity(key),
                members: candidate.map(events.seenMembers) ?? MemberSet(),
                primaryKey: candidate?.change?.primaryKey ?? [], version: version)
            writer.write(event, withVersion: false, at: index.map(text))
        }
        // A new object may have the id of one that went.
        for key in difference.left {
            try write(candidates[key].map(events.departureKind) ?? .leave, key)
        }
        for news in difference.news {
            try write(news.isNew ? .enter : .update, news.key, at: news.index)
        }
        if isEvent { writer.raw("]") } else { writer.beginIndices(isFirst: count == 0) }
        writeIndices("deletions", difference.deletions.map(text), to: writer)
        writeIndices("insertions", difference.insertions.map(text), to: writer)
        writeIndices("modifications", difference.modifications.map(text), to: writer)
        if hasSections {
            writeIndices(
                "sectionsDeleted", difference.sectionsDeleted.map(\.description), to: writer)
            writeIndices(
                "sectionsInserted", difference.sectionsInserted.map(\.description), to: writer)
            writer.raw(",\"sections\":[")
            for (position, index) in difference.sectionsChanged.enumerated() {
                if position > 0 { writer.raw(",") }
                writeHead(of: result.sections[index], at: index, to: writer)
                writer.raw("}")
            }
            writer.raw("]")
        }
        writer.raw(parts.isEmpty || !isEvent ? "}" : ",\"last\":true}")
        if isEvent { framing.end(id: id, in: writer.buffer) }
        parts.append(try writer.finish())
        return parts
    }

    private func text(_ index: LiveResult.Index) -> String {
        hasSections ? "[\(index.section),\(index.item)]" : "\(index.item)"
    }

    private func writeIndices(_ name: String, _ indices: [String], to writer: ChangeWriter) {
        writer.text(",\"\(name)\":[\(indices.joined(separator: ","))]")
    }
}
