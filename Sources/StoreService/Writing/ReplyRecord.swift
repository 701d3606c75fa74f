import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore

/// The reply to a write as it is stored for repeats of the request. In the record it follows the hash of the request.
///
///     bytes  field
///     1      the form of the record: 2 for a document about several objects, else 1
///     1      bits: 1 created, 2 JSON, 4 minimal, 8 large ints quoted, 16 etag, 32 limit of objects, 64 path, 128 without objects
///     16     version: epoch and number; each number is little-endian
///     16     etag, if there is one
///     8      the limit of objects that may be changed, if there is one
///     each   of the texts of the path, if there is one: its length in four bytes, and its bytes
///     rest   the JSON
enum ReplyRecord {
    private static let form: UInt8 = 1
    private static let documentForm: UInt8 = 2

    /// The most bytes of a path that is kept: a longer one is too long for any URL, and the records of all share their room.
    private static let pathByteCountMax = 32 << 10

    private struct Bits: OptionSet {
        let rawValue: UInt8
        static let created = Bits(rawValue: 1)
        static let json = Bits(rawValue: 2)
        static let minimal = Bits(rawValue: 4)
        static let quoted = Bits(rawValue: 8)
        static let etag = Bits(rawValue: 16)
        static let limit = Bits(rawValue: 32)
        static let path = Bits(rawValue: 64)
        static let withoutObjects = Bits(rawValue: 128)
    }

    static func encode(_ reply: WriteReply, json: UnsafeRawBufferPointer) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 256 + json.count)
        var bits: Bits = []
        if reply.isCreated { bits.insert(.created) }
        if reply.hasJSON { bits.insert(.json) }
        if reply.isMinimal { bits.insert(.minimal) }
        if reply.quotesLargeInts { bits.insert(.quoted) }
        if reply.etag != nil { bits.insert(.etag) }
        if reply.affectedCountMax != nil { bits.insert(.limit) }
        if reply.hasNoObjects { bits.insert(.withoutObjects) }
        let path = reply.created.map(texts).flatMap { texts in
            texts.reduce(0) { $0 + $1.count } > pathByteCountMax ? nil : texts
        }
        if path != nil { bits.insert(.path) }
        buffer.append(reply.isDocument ? documentForm : form)
        buffer.append(bits.rawValue)
        append(reply.version, to: buffer)
        if let etag = reply.etag { append(etag, to: buffer) }
        if let countMax = reply.affectedCountMax { buffer.append(little: UInt64(countMax)) }
        if let texts = path {
            buffer.append(little: UInt32(texts.count))
            for text in texts {
                buffer.append(little: UInt32(text.count))
                buffer.append(text)
            }
        }
        if reply.hasJSON { buffer.append(json) }
        return buffer.array
    }

    private static func append(_ version: StoreVersion, to buffer: ByteBuffer) {
        buffer.append(little: version.epoch)
        buffer.append(little: version.number)
    }

    /// Reads a reply, and writes its JSON.
    ///
    /// - Throws: ``RequestFault`` `.failed` when it can't be read.
    static func reply(in record: [UInt8], json: ByteBuffer) throws(RequestFault) -> WriteReply {
        var reader = Reader(rest: record[...])
        let first = try reader.byte()
        if first == 200 || first == 201 || first == 204 { return try former(record, json: json) }
        guard first == form || first == documentForm else { throw .unreadableIdempotencyRecord }
        let bits = Bits(rawValue: try reader.byte())
        var reply = WriteReply(try reader.version())
        reply.isDocument = first == documentForm
        reply.isCreated = bits.contains(.created)
        reply.hasJSON = bits.contains(.json)
        reply.isMinimal = bits.contains(.minimal)
        reply.quotesLargeInts = bits.contains(.quoted)
        reply.hasNoObjects = bits.contains(.withoutObjects)
        if bits.contains(.etag) { reply.etag = try reader.version() }
        if bits.contains(.limit) { reply.affectedCountMax = Int(clamping: try reader.number(8)) }
        if bits.contains(.path) {
            var texts: [[UInt8]] = []
            for _ in 0..<(try reader.number(4)) { texts.append(try reader.text(4)) }
            guard let path = path(texts) else { throw .unreadableIdempotencyRecord }
            reply.created = path
        }
        json.removeAll()
        reader.rest.withUnsafeBytes { json.append($0) }
        return reply
    }

    /// Reads a record of version 0.2: a status, and the header fields ETag, Holdfast-Version, Location and
    /// Preference-Applied behind their lengths, in two bytes each. The path is left out.
    private static func former(
        _ record: [UInt8], json: ByteBuffer
    ) throws(RequestFault) -> WriteReply {
        var reader = Reader(rest: record[...])
        let status = try reader.number(2)
        var fields: [String] = []
        for _ in 0..<4 { fields.append(String(decoding: try reader.text(2), as: UTF8.self)) }
        guard let version = StoreVersion(text: fields[1]) else {
            throw .unreadableIdempotencyRecord
        }
        var reply = WriteReply(version)
        reply.etag = StoreVersion(text: fields[0].filter { $0 != "\"" })
        reply.isCreated = status == 201
        reply.hasJSON = !reader.rest.isEmpty
        reply.isDocument = reply.hasJSON && reply.etag == nil
        reply.isMinimal = fields[3].contains("return=minimal")
        reply.quotesLargeInts = fields[3].contains("int64=string")
        if fields[3].hasPrefix("max-affected=") {
            reply.affectedCountMax = Int(fields[3].dropFirst("max-affected=".count))
        }
        json.removeAll()
        reader.rest.withUnsafeBytes { json.append($0) }
        return reply
    }

    // MARK: Paths

    /// A path as texts: the class or the projection, the kind of the key, and its text. For an element, also the
    /// property, its kind and its steps.
    private static func texts(of path: CreatedPath) -> [[UInt8]] {
        // The kinds of keys of objects that a projection shows are capital letters.
        let isShown = path.projection != nil
        var texts = [Array((path.projection ?? path.className).utf8)]
        switch path.key {
        case .null: texts += [kind(isShown ? "Z" : "0"), []]
        case .number(let text): texts += [kind(isShown ? "N" : "n"), Array(text.utf8)]
        case .text(let text): texts += [kind(isShown ? "T" : "t"), Array(text.utf8)]
        }
        guard let element = path.element else { return texts }
        texts.append(Array(element.property.utf8))
        switch element.place {
        case .position(let position): texts += [kind("p"), Array("\(position)".utf8)]
        case .key(let key): texts += [kind("k"), key]
        case .steps(let steps): texts += [kind("s")] + steps
        }
        return texts
    }

    private static func kind(_ letter: Unicode.Scalar) -> [UInt8] { [UInt8(ascii: letter)] }

    private static func path(_ texts: [[UInt8]]) -> CreatedPath? {
        func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        guard texts.count >= 3 else { return nil }
        let key: CreatedPath.Key
        switch texts[1] {
        case kind("0"), kind("Z"): key = .null
        case kind("n"), kind("N"): key = .number(string(texts[2]))
        case kind("t"), kind("T"): key = .text(string(texts[2]))
        default: return nil
        }
        var path = CreatedPath(className: string(texts[0]), key: key)
        if [kind("Z"), kind("N"), kind("T")].contains(texts[1]) {
            path.projection = path.className
        }
        if texts.count == 3 { return path }
        guard texts.count >= 5 else { return nil }
        let steps = Array(texts[5...])
        let place: CreatedPath.Place
        switch (texts[4], steps.count) {
        case (kind("p"), 1):
            guard let position = Int(string(steps[0])) else { return nil }
            place = .position(position)
        case (kind("k"), 1): place = .key(steps[0])
        case (kind("s"), _): place = .steps(steps)
        default: return nil
        }
        path.element = CreatedPath.Element(property: string(texts[3]), place: place)
        return path
    }

    /// Reads a record from its beginning.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() throws(RequestFault) -> UInt8 {
            guard let byte = rest.popFirst() else { throw .unreadableIdempotencyRecord }
            return byte
        }

        mutating func number(_ byteCount: Int) throws(RequestFault) -> UInt64 {
            var number: UInt64 = 0
            for place in 0..<byteCount { number |= UInt64(try byte()) << (8 * place) }
            return number
        }

        mutating func version() throws(RequestFault) -> StoreVersion {
            let epoch = try number(8)
            return StoreVersion(epoch: epoch, number: try number(8))
        }

        mutating func text(_ lengthByteCount: Int) throws(RequestFault) -> [UInt8] {
            let count = Int(try number(lengthByteCount))
            guard rest.count >= count else { throw .unreadableIdempotencyRecord }
            defer { rest.removeFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}
