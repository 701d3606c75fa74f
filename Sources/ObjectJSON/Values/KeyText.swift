import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

/// The name of an object in a path or query parameter: its primary key, or the object key where its class has no primary key.
package enum KeyText {
    /// Reads a path segment, which is decoded already.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when the text is not of the key's type.
    package static func value(
        path text: UnsafeRawBufferPointer, of rowClass: RowClass
    ) throws(RequestFault) -> Value {
        guard let member = rowClass.primaryKeyIndex else {
            guard let key = int(text), key >= 0 else { throw wrongType(rowClass) }
            return .int(key)
        }
        guard let key = PlainValue(key: text, rowClass.members[member].storage.element) else {
            throw wrongType(rowClass)
        }
        return key.value
    }

    /// Appends the ``OrderedKey`` of a path segment without making a ``Value``: for reads.
    ///
    /// - Precondition: The class has a primary key.
    /// - Throws: ``RequestFault`` `.malformed` when the text is not of the key's type.
    package static func append(
        path text: UnsafeRawBufferPointer, of rowClass: RowClass, to buffer: ByteBuffer
    ) throws(RequestFault) {
        guard let member = rowClass.primaryKeyIndex,
            let key = PlainValue(key: text, rowClass.members[member].storage.element)
        else { throw wrongType(rowClass) }
        OrderedKey.append(key: key, to: buffer)
    }

    /// Reads decimal digits, perhaps after a `-`; nil for other text and for numbers that do not fit.
    static func int(_ text: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        var position = isNegative ? 1 : 0
        // Nineteen digits hold every Int64 and fit into the magnitude without overflow.
        guard position < text.count, text.count - position <= 19 else {
            return Int64(jsonDigits: text)
        }
        var magnitude: UInt64 = 0
        while position < text.count {
            let digit = text[position] &- 48
            guard digit < 10 else { return nil }
            magnitude = magnitude &* 10 &+ UInt64(digit)
            position += 1
        }
        if isNegative {
            return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
        }
        return Int64(exactly: magnitude)
    }

    /// Reads the value of `?key=`, JSON.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when it is not JSON or not of the key's type.
    package static func value(
        json text: UnsafeRawBufferPointer, of rowClass: RowClass, parser: JSONParser
    ) throws(RequestFault) -> Value {
        let json: JSONValue
        do {
            json = try parser.parse(text, depthMax: 1)
        } catch {
            throw .parameter(
                "key",
                "'key' is a JSON value, such as key=7 or key=\"a/b\" (percent-encoded); "
                    + "at byte \(error.offset + 1) \(error.message).")
        }
        guard let value = value(json, of: rowClass) else { throw wrongType(rowClass, "key") }
        return value
    }

    /// Reads a key in JSON; nil when it is not of the key's type.
    package static func value(_ json: JSONValue, of rowClass: RowClass) -> Value? {
        guard let member = rowClass.primaryKeyIndex else {
            return ScalarText.int(json).flatMap { $0 >= 0 ? .int($0) : nil }
        }
        if json.isNull { return rowClass.members[member].isOptional ? .null : nil }
        return PlainValue.value(json, rowClass.members[member].storage.element)
    }

    /// Makes the fault of a key that is not of its class's type.
    package static func wrongType(_ rowClass: RowClass, _ parameter: String = "id") -> RequestFault
    {
        let detail: String
        if let member = rowClass.primaryKeyIndex {
            let property = rowClass.definition.properties[member]
            let example: String
            switch rowClass.members[member].storage.element {
            case .int: example = "an int, such as 42"
            case .objectID: example = "an objectId of 24 hexadecimal digits"
            case .uuid: example = "a uuid, such as 123e4567-e89b-12d3-a456-426614174000"
            default: example = "a string"
            }
            detail =
                "Objects of class '\(rowClass.definition.name)' are named by their primary key "
                + "'\(property.name)': \(example)"
                + (property.isOptional ? " (or null, as ?key=null)." : ".")
                + " A 'filter' finds objects by other properties, such as filter=name == 'Paris'."
        } else {
            detail =
                "Class '\(rowClass.definition.name)' has no primary key; its objects are named by "
                + "their \"$id\", an integer."
        }
        return .single(.malformed, "wrong-key-type", detail, parameter: parameter)
    }
}
