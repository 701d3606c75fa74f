import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A value of a plain type in a request, before it is stored somewhere; never null. Trivial: reading one allocates nothing.
enum PlainValue {
    case inline(InlineValue)
    case string(UnsafeRawBufferPointer)
    case data(UnsafeRawBufferPointer)

    /// Reads JSON as a value of a type; nil if it is not of the type.
    ///
    /// - `bytes`: Takes the bytes of a data value, which are valid until the buffer is written again; without it
    ///   no data value is read.
    @inline(__always)
    init?(_ json: JSONValue, _ element: ElementStorage, _ bytes: ByteBuffer?) {
        switch element {
        case .bool:
            guard let value = json.bool else { return nil }
            self = .inline(InlineValue(value))
        case .int:
            guard let value = ScalarText.int(json) else { return nil }
            self = .inline(InlineValue(value))
        case .double:
            guard let value = ScalarText.double(json), !ScalarText.isTooLarge(json) else {
                return nil
            }
            self = .inline(InlineValue(value))
        case .float:
            guard let value = ScalarText.float(json) else { return nil }
            self = .inline(InlineValue(value))
        case .decimal:
            guard let value = ScalarText.decimal(json) else { return nil }
            self = .inline(InlineValue(value))
        case .string:
            guard let text = json.stringBytes, text.count <= ModelLimits.valueByteCountMax else {
                return nil
            }
            self = .string(text)
        case .data:
            guard let bytes, let text = json.stringBytes else { return nil }
            bytes.removeAll()
            guard Base64.decodeEither(text, into: bytes),
                bytes.count <= ModelLimits.valueByteCountMax
            else { return nil }
            self = .data(bytes.bytes)
        case .date:
            guard let text = json.stringBytes, let value = Timestamp(rfc3339: text) else {
                return nil
            }
            self = .inline(InlineValue(value))
        case .objectID, .uuid:
            guard let text = json.stringBytes else { return nil }
            self.init(key: text, element)
        case .link, .embedded, .mixed: return nil
        }
    }

    /// Reads the text of a primary key, which is not JSON; nil if it is not of the type.
    init?(key text: UnsafeRawBufferPointer, _ element: ElementStorage) {
        switch element {
        case .string: self = .string(text)
        case .int:
            guard let value = KeyText.int(text) else { return nil }
            self = .inline(InlineValue(value))
        case .objectID:
            guard let value = ObjectID(text: text) else { return nil }
            self = .inline(InlineValue(value))
        case .uuid:
            guard let value = UUID128(text: text) else { return nil }
            self = .inline(InlineValue(value))
        case .bool, .float, .double, .decimal, .date, .data, .link, .embedded, .mixed: return nil
        }
    }

    /// Reads JSON as a value of a single plain type; nil if it is not of the type.
    static func value(_ json: JSONValue, _ element: ElementStorage) -> Value? {
        if element != .data { return PlainValue(json, element, nil)?.value }
        return json.stringBytes.flatMap { Base64.decodeEither($0) }.map { .data($0) }
    }

    /// The same as a value that stands by itself.
    var value: Value {
        switch self {
        case .inline(let value): value.value
        case .string(let text): .string(String(decoding: text, as: UTF8.self))
        case .data(let bytes): .data(Array(bytes))
        }
    }
}

extension ObjectDraft {
    /// States a value of a property of its type.
    @inline(__always)
    func set(_ member: Int, plain value: PlainValue) {
        switch value {
        case .inline(let value): set(member, inline: value)
        case .string(let bytes), .data(let bytes): set(member, text: bytes)
        }
    }
}

extension ScalarCollectionBuilder {
    /// Adds an element of the collection's type.
    @inline(__always)
    func append(plain value: PlainValue) {
        switch value {
        case .inline(let value): append(value)
        case .string(let bytes), .data(let bytes): append(text: bytes)
        }
    }
}

extension MixedWriter {
    /// Writes a value; its bytes do not lie in the buffer.
    func plain(_ value: PlainValue) {
        switch value {
        case .inline(let value): inline(value)
        case .string(let text): string(text)
        case .data(let bytes): data(bytes)
        }
    }
}

extension OrderedKey {
    /// Appends a primary key.
    static func append(key: PlainValue, to buffer: ByteBuffer) {
        switch key {
        case .inline(let value): append(value, to: buffer)
        case .string(let bytes), .data(let bytes): append(text: bytes, to: buffer)
        }
    }
}
