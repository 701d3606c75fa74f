import HoldfastJSON
import HoldfastObjectModel

/// Values that stand alone, in the JSON forms of `mixed`: defaults, and the arguments of queries.
enum MixedText {
    /// Reads the value that JSON stands for; nil if it stands for no value.
    ///
    /// - `depthMax`: The greatest depth of lists and maps.
    /// - `takesLargeIntegers`: Whether a whole number beyond 64 bits is a decimal of at most 34 digits. Otherwise it is no value.
    package static func value(
        _ json: JSONValue, depthMax: Int = ModelLimits.mixedDepthMax,
        takesLargeIntegers: Bool = false
    ) -> Value? {
        switch json.kind {
        case .null: return .null
        case .bool: return json.bool.map { .bool($0) }
        case .integer: return json.int64.map { .int($0) }
        case .double:
            if json.isBigInteger {
                return takesLargeIntegers ? ScalarText.decimal(json).map { .decimal($0) } : nil
            }
            guard let number = json.double, number.isFinite else { return nil }
            return .double(number)
        case .string:
            guard let text = json.stringBytes, text.count <= ModelLimits.valueByteCountMax else {
                return nil
            }
            return .string(String(decoding: text, as: UTF8.self))
        case .array:
            guard depthMax > 0 else { return nil }
            var values: [Value] = []
            for element in json.elements {
                guard
                    let value = value(
                        element, depthMax: depthMax - 1, takesLargeIntegers: takesLargeIntegers)
                else { return nil }
                values.append(value)
            }
            return .list(values)
        case .object:
            if let member = json.members.first(where: { $0.name.first == UInt8(ascii: "$") }) {
                guard json.count == 1, let form = MixedForm(member.name) else { return nil }
                return value(member.value, form)
            }
            guard depthMax > 0, json.repeatedName == nil else { return nil }
            var entries: [Value.MapEntry] = []
            for member in json.members {
                guard MapKey.fault(of: member.name) == nil,
                    let value = value(
                        member.value, depthMax: depthMax - 1, takesLargeIntegers: takesLargeIntegers
                    )
                else { return nil }
                entries.append(Value.MapEntry(String(decoding: member.name, as: UTF8.self), value))
            }
            return .map(entries)
        }
    }

    /// Reads a value with an explicit kind.
    private static func value(_ json: JSONValue, _ form: MixedForm) -> Value? {
        switch form {
        case .link:
            guard json.kind == .object, json.count == 2,
                let name = json.member(named: "class")?.string,
                let id = json.member(named: "id"), let key = value(id, depthMax: 0)
            else { return nil }
            return .link(className: name, key: key)
        case .reference: return nil
        default: return form.element.flatMap { PlainValue.value(json, $0) }
        }
    }

    /// Writes a value without links. A link is written as null.
    ///
    /// - `statesKinds`: Whether the kind is written if JSON has no form for it. The kind of a plain type is known.
    /// - `quotesLargeInts`: Whether ints beyond 2^53 are strings.
    package static func write(
        _ value: Value, statingKinds statesKinds: Bool = true, quotesLargeInts: Bool = false,
        to writer: JSONWriter
    ) {
        func form(_ form: MixedForm, _ write: () -> Void) {
            guard statesKinds else { return write() }
            writer.raw("{")
            writer.key(form.rawValue)
            write()
            writer.raw("}")
        }
        switch value {
        case .null, .link: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value) where quotesLargeInts && value.magnitude > 1 << 53:
            form(.int) { writer.string(String(value)) }
        case .int(let value): writer.int(value)
        case .double(let value) where value.isFinite: writer.double(value)
        case .double(let value): form(.double) { writer.double(value) }
        case .float(let value): form(.float) { writer.float(value) }
        case .decimal(let value): form(.decimal) { writer.string(value.description) }
        case .string(let value): writer.string(value)
        case .data(let value): form(.data) { value.withUnsafeBytes { writer.base64($0) } }
        case .date(let value): form(.date) { writer.string(value.description) }
        case .objectID(let value): form(.objectID) { writer.string(value.description) }
        case .uuid(let value): form(.uuid) { writer.string(value.description) }
        case .list(let values):
            writer.array(of: values) { write($0, quotesLargeInts: quotesLargeInts, to: $1) }
        case .map(let entries):
            writer.object { object in
                for entry in entries {
                    write(
                        entry.value, quotesLargeInts: quotesLargeInts,
                        to: object.member(named: entry.key))
                }
            }
        }
    }
}
