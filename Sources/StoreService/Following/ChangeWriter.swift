import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// Writes changes of objects as JSON, and the events around them.
struct ChangeWriter {
    let stream: CheckedStream
    let read: ReadTransaction
    let buffer: ByteBuffer
    private let json: JSONWriter
    private var writer: ObjectWriter
    /// Of a projection's stream the projected properties that have changed, by their positions, where that
    /// is known exactly.
    var changedProperties: [ObjectIdentity: MemberSet] = [:]

    init(_ stream: CheckedStream, _ read: ReadTransaction, _ limits: ServiceLimits) {
        self.stream = stream
        self.read = read
        buffer = ByteBuffer(capacity: 1024)
        json = JSONWriter(buffer)
        writer = ObjectWriter(
            buffer, stream.names, read, limits,
            quotesLargeInts: stream.definition.quotesLargeInts)
    }

    /// The bytes written so far; nothing may be written behind them.
    func take() -> SharedBytes { SharedBytes(buffer) }

    /// Whether an object was too large, so that what is written is not whole.
    var isTruncated: Bool { writer.isTruncated }

    /// How many bytes are written.
    var byteCount: Int { buffer.count }

    func raw(_ text: StaticString) { buffer.append(text) }
    func text(_ text: String) { buffer.append(text) }

    /// Writes one change as an object.
    ///
    /// - `withVersion`: Whether it carries the version of its own.
    mutating func write(_ event: QueryEvent, withVersion: Bool) {
        let rowClass = stream.names.schema.classes[event.identity.classIndex]
        switch event.kind {
        case .enter: json.raw("{\"op\":\"enter\"")
        case .update: json.raw("{\"op\":\"update\"")
        case .leave: json.raw("{\"op\":\"leave\"")
        case .delete: json.raw("{\"op\":\"delete\"")
        }
        if case .store = stream.definition.target {
            json.raw(",\"class\":")
            json.string(rowClass.definition.name)
        }
        json.raw(",\"id\":")
        let row = read.row(classIndex: event.identity.classIndex, key: event.identity.key)
        if let row {
            writer.writeID(row, key: event.identity.key, rowClass)
        } else {
            writeKey(event, rowClass)
        }
        if event.kind == .enter || event.kind == .update, let row {
            writeObject(row, event.identity, changedIn: event.kind == .update ? event : nil)
        }
        if withVersion {
            json.raw(",\"version\":")
            writer.writeVersion(event.version)
        }
        json.raw("}")
    }

    /// Writes the names of the properties that have changed, or through which something has.
    private func writeChanged(_ event: QueryEvent, _ rowClass: RowClass) {
        var isFirst = true
        func write(_ name: String) {
            if !isFirst { json.comma() }
            isFirst = false
            json.string(name)
        }
        guard let projection = stream.projection else {
            for (member, property) in rowClass.definition.properties.enumerated()
            where event.members.contains(member) { write(property.name) }
            return
        }
        let exactly = changedProperties[event.identity]
        for (position, property) in projection.properties.enumerated()
        where exactly?.contains(position) ?? event.members.contains(property.firstMember) {
            write(property.name)
        }
    }

    /// Writes the key of an object that is gone, from its record.
    private func writeKey(_ event: QueryEvent, _ rowClass: RowClass) {
        guard let member = rowClass.primaryKeyIndex, event.primaryKey.first == 1 else {
            if rowClass.primaryKeyIndex == nil {
                json.uint(event.identity.key)
            } else {
                json.null()
            }
            return
        }
        event.primaryKey.withUnsafeBytes { tagged in
            let bytes = UnsafeRawBufferPointer(rebasing: tagged.dropFirst())
            switch rowClass.members[member].storage.element {
            case .string: json.string(bytes)
            case let element:
                if let address = bytes.baseAddress { writer.write(fixed: address, element) }
            }
        }
    }

    /// Writes one object of a snapshot.
    mutating func writeSnapshot(_ row: RowView, _ identity: ObjectIdentity) {
        let rowClass = stream.names.schema.classes[identity.classIndex]
        json.raw("{")
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
    /// - `event`: The change whose properties are told in between.
    private mutating func writeObject(
        _ row: RowView, _ identity: ObjectIdentity, changedIn event: QueryEvent? = nil
    ) {
        json.raw(",\"etag\":")
        writer.writeVersion(row.version)
        if let event {
            json.raw(",\"changed\":[")
            writeChanged(event, stream.names.schema.classes[identity.classIndex])
            json.raw("]")
        }
        json.raw(",\"object\":")
        writer.write(
            row, key: identity.key,
            stream.selection ?? stream.names.everything[identity.classIndex])
    }

    /// Writes changes with commas between them.
    mutating func write(_ events: [QueryEvent], withVersion: Bool) {
        for (index, event) in events.enumerated() {
            if index > 0 { json.comma() }
            write(event, withVersion: withVersion)
        }
    }

    /// Writes a whole page of changes, which leads to the present version.
    mutating func writePage(_ events: [QueryEvent], version number: UInt64) {
        raw("{\"changes\":[")
        write(events, withVersion: true)
        raw("],\"cursor\":")
        writer.writeVersion(number)
        raw(",\"upToDate\":true}")
    }

    // MARK: Events

    /// Opens a `change` event; its changes follow.
    func beginChangeEvent(version number: UInt64, _ framing: any EventFraming) {
        framing.begin("change", id: nil, in: buffer)
        raw("{\"version\":")
        writer.writeVersion(number)
        raw(",\"changes\":[")
    }

    /// Closes a `change` event.
    ///
    /// - `version`: Behind which a client may resume; nil where the event does not move that.
    /// - `isLastPart`: Whether it is the last of several parts.
    func endChangeEvent(
        version number: UInt64? = nil, isLastPart: Bool = false, _ framing: any EventFraming
    ) {
        raw(isLastPart ? "],\"last\":true}" : "]}")
        let version = number.map { StoreVersion(epoch: read.epoch, number: $0).description }
        framing.end(id: version, in: buffer)
    }
}
