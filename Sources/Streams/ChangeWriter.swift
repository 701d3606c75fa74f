import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// Writes changes of objects as JSON, and the events around them.
struct ChangeWriter {
    let stream: CheckedStream
    let read: ReadTransaction
    let buffer: ByteBuffer
    private let limits: ServiceLimits
    private let json: JSONWriter
    private var writer: ObjectWriter
    /// Writes former values, if the client asked for them and they are known.
    private var earlier: ObjectWriter?
    /// The cursor that was made last, and its version.
    private var cursor: (number: UInt64, text: String)?

    /// - `before`: The state before the changes, if it is a single state.
    init(
        _ stream: CheckedStream, _ read: ReadTransaction, _ limits: ServiceLimits,
        before: ReadTransaction? = nil
    ) {
        self.stream = stream
        self.read = read
        self.limits = limits
        buffer = ByteBuffer(capacity: 1024)
        json = JSONWriter(buffer)
        writer = stream.makeWriter(to: buffer, of: read, limits)
        if let before, stream.definition.eventOptions.tellsOld {
            earlier = stream.makeWriter(to: buffer, of: before, limits)
        }
    }

    /// Ends the writing and returns the bytes.
    ///
    /// - Throws: ``RequestFault`` if an object was too large.
    func finish() throws(RequestFault) -> SharedBytes {
        guard writer.hasRoom else { throw .replyTooLarge(limits.queryMemoryByteCountMax) }
        return SharedBytes(buffer)
    }

    /// The number of bytes written.
    var byteCount: Int { buffer.count }

    func raw(_ text: StaticString) { buffer.append(text) }
    func text(_ text: String) { buffer.append(text) }

    /// Writes one change as an object.
    ///
    /// - `withVersion`: Whether the entry carries its own version.
    /// - `index`: The change's index in a list, as JSON; nil if it has no index.
    mutating func write(_ event: QueryEvent, withVersion: Bool, at index: String? = nil) {
        beginEntry()
        writeContent(event, withVersion: withVersion, at: index)
    }

    /// Writes one change as an object, or copies the entry that another stream of the step has written.
    ///
    /// - `version`: The version of the view.
    mutating func write(_ event: QueryEvent, sharing entries: SharedEntries, at version: UInt64) {
        beginEntry()
        if let text = entries.text(of: event, at: version) { return buffer.append(text) }
        let start = buffer.count
        writeContent(event, withVersion: false)
        // An entry of a view that was late or failed may lack values. It is not shared.
        let views = [read, earlier?.read].compactMap(\.self)
        guard writer.hasRoom, !views.contains(where: { $0.isLate || $0.failure != nil })
        else { return }
        entries.add(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]), of: event, at: version)
    }

    /// Writes the content of an entry for a change, up to its end.
    private mutating func writeContent(
        _ event: QueryEvent, withVersion: Bool, at index: String? = nil
    ) {
        let rowClass = stream.names.schema.classes[event.identity.classIndex]
        json.raw("\"op\":")
        json.string(event.kind.rawValue)
        if case .store = stream.definition.target {
            json.raw(",\"class\":")
            json.string(rowClass.definition.name)
        }
        json.raw(",\"id\":")
        let isThere = event.kind == .enter || event.kind == .update
        let row =
            isThere
            ? read.row(classIndex: event.identity.classIndex, key: event.identity.key)
            : read.rowForKey(of: event.identity)
        if let row {
            writer.writeID(row, key: event.identity.key, rowClass)
        } else {
            writeKey(event, rowClass)
        }
        if let index {
            json.raw(",\"index\":")
            text(index)
        }
        if isThere, let row {
            writeObject(row, event.identity, changedIn: event.kind == .update ? event : nil)
        }
        if withVersion {
            json.raw(",\"version\":")
            writer.writeVersion(event.version)
        }
        json.raw("}")
    }

    /// Writes a comma and the event of an object that no longer matches or was deleted. Writes nothing for an object that was
    /// deleted after its change.
    mutating func writeDeparture(of identity: ObjectIdentity, _ change: FoldedChanges.Change) {
        let isDeleted = change.kind == .delete
        guard isDeleted || read.row(classIndex: identity.classIndex, key: identity.key) != nil
        else { return }
        json.comma()
        write(
            QueryEvent(
                kind: isDeleted ? .delete : .leave, identity: identity, members: MemberSet(),
                primaryKey: change.primaryKey, version: change.version), withVersion: false)
    }

    /// Opens an entry. It names its query if the stream has several.
    private func beginEntry() {
        json.raw("{")
        guard let query = stream.definition.eventOptions.query else { return }
        json.raw("\"query\":")
        json.string(query)
        json.raw(",")
    }

    /// Opens the entry with the changed indices of a list.
    func beginIndices(isFirst: Bool) {
        if !isFirst { json.comma() }
        beginEntry()
        json.raw("\"op\":\"indices\"")
    }

    /// The names of the properties that have changed, themselves or in an object that they lead to.
    private func changedNames(
        _ event: QueryEvent, _ rowClass: RowClass, _ row: RowView
    ) -> [String] {
        guard let compared = stream.compared else {
            return rowClass.definition.properties.indices.lazy.filter { member in
                event.members.contains(member) && !rowClass.unknown.contains(member)
                    && !rowClass.hides(member, in: row)
            }.map { rowClass.definition.properties[$0].name }
        }
        return compared.steps.indices.lazy.filter { position in
            let member = Int(compared.steps[position].member)
            return member >= 0 && !rowClass.hides(member, in: row)
                && event.shown?.contains(position) ?? event.members.contains(member)
        }.map { compared.labels[$0] }
    }

    /// Writes the former shown values of the changed properties.
    private mutating func writeOld(
        _ changed: [String], _ identity: ObjectIdentity, _ selection: FieldSelection
    ) {
        guard let row = earlier?.read?.row(classIndex: identity.classIndex, key: identity.key)
        else { return }
        json.raw(",\"old\":{")
        var isFirst = true
        for (step, name) in zip(selection.steps, selection.labels) {
            // A count changes with its property.
            let isChanged =
                changed.contains(name)
                || step.kind == .calculated
                    && changed.contains(
                        selection.rowClass.definition.properties[Int(step.member)].name)
            if !isChanged || selection.rowClass.hides(Int(step.member), in: row) { continue }
            let isOmitted = earlier?.omits(
                step, of: row, selection.rowClass, key: identity.key, selection)
            if isOmitted ?? true { continue }
            if !isFirst { json.comma() }
            isFirst = false
            json.string(name)
            json.raw(":")
            earlier?.writeValue(step, of: row, selection.rowClass, key: identity.key, selection)
        }
        json.raw("}")
    }

    /// Writes the key of a deleted object, from its record.
    private func writeKey(_ event: QueryEvent, _ rowClass: RowClass) {
        guard let member = rowClass.primaryKeyIndex else { return json.uint(event.identity.key) }
        guard event.primaryKey.first == 1 else { return json.null() }
        event.primaryKey.withUnsafeBytes { tagged in
            let bytes = UnsafeRawBufferPointer(rebasing: tagged.dropFirst())
            switch rowClass.members[member].storage.element {
            case .string: json.string(bytes)
            case let element:
                if let address = bytes.baseAddress { writer.write(fixed: address, element) }
            }
        }
    }

    mutating func writeSnapshot(_ row: RowView, _ identity: ObjectIdentity) {
        let rowClass = stream.names.schema.classes[identity.classIndex]
        beginEntry()
        if case .store = stream.definition.target {
            json.raw("\"class\":")
            json.string(rowClass.definition.name)
            json.raw(",")
        }
        json.raw("\"id\":")
        writer.writeID(row, key: identity.key, rowClass)
        writeObject(row, identity)
        json.raw("}")
    }

    /// Writes the version and the content of an object.
    ///
    /// - `event`: The change. Its changed properties are written in between.
    private mutating func writeObject(
        _ row: RowView, _ identity: ObjectIdentity, changedIn event: QueryEvent? = nil
    ) {
        let selection = stream.selection ?? stream.names.everything[identity.classIndex]
        json.raw(",\"etag\":")
        writer.writeVersion(row.version)
        if let event {
            let changed = changedNames(event, stream.names.schema.classes[identity.classIndex], row)
            json.raw(",\"changed\":")
            json.strings(changed)
            writeOld(changed, identity, selection)
        }
        json.raw(",\"object\":")
        writer.write(row, key: identity.key, selection)
    }

    /// Writes changes, separated by commas.
    mutating func write(_ events: [QueryEvent], withVersion: Bool) {
        for (index, event) in events.enumerated() {
            if index > 0 { json.comma() }
            write(event, withVersion: withVersion)
        }
    }

    /// Writes a whole page of changes up to the present version.
    mutating func writePage(_ events: [QueryEvent], version number: UInt64) {
        raw("{\"changes\":[")
        write(events, withVersion: true)
        text("],\"cursor\":\"\(cursor(number))\",\"upToDate\":true}")
    }

    // MARK: Events

    /// The cursor after a version. An event contains it twice.
    private mutating func cursor(_ number: UInt64) -> String {
        if let cursor, cursor.number == number { return cursor.text }
        let text = stream.cursor(StoreVersion(epoch: read.epoch, number: number))
        cursor = (number, text)
        return text
    }

    /// Opens a `change` event. Its changes follow.
    mutating func beginChangeEvent(version number: UInt64, _ framing: any EventFraming) {
        framing.begin("change", id: nil, in: buffer)
        raw("{\"version\":\"")
        text(cursor(number))
        raw("\",\"changes\":[")
    }

    /// Closes a `change` event.
    ///
    /// - `version`: The version after which a client may resume; nil if the event does not move the cursor.
    /// - `isLastPart`: Whether it is the last of several parts.
    mutating func endChangeEvent(
        version number: UInt64? = nil, isLastPart: Bool = false, _ framing: any EventFraming
    ) {
        raw(isLastPart ? "],\"last\":true}" : "]}")
        framing.end(id: number.map { cursor($0) }, in: buffer)
    }
}
