import Bytes
import JSON
import ObjectModel
import Rows

extension ObjectReader {
    /// Reads a single plain value that is not null.
    func readScalar(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int, into draft: ObjectDraft
    ) {
        let compiled = draft.rowClass.members[member]
        setScalar(json, name, member, compiled, into: draft)
        if compiled.hasCases, !draft.isCase(member, scratch: bytes) {
            noCase(draft.rowClass, member, at: name, element: nil)
        }
    }

    private func setScalar(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int,
        _ compiled: RowClass.Member, into draft: ObjectDraft
    ) {
        switch compiled.storage.element {
        case .bool:
            if let value = json.bool { return draft.set(member, bool: value) }
        case .int:
            if let value = ScalarText.int(json), compiled.holds(value) {
                return draft.set(member, int: value)
            }
        case .float:
            if let value = ScalarText.float(json) { return draft.set(member, float: value) }
        case .decimal:
            if let value = ScalarText.decimal(json) { return draft.set(member, decimal: value) }
        case .double:
            if let value = ScalarText.double(json), !ScalarText.isTooLarge(json) {
                return draft.set(member, double: value)
            }
        case .string:
            if let text = json.stringBytes, text.count <= ModelLimits.valueByteCountMax {
                return draft.set(member, text: text)
            }
        case .data:
            if let text = json.stringBytes, decodeData(text),
                bytes.count <= ModelLimits.valueByteCountMax
            {
                return draft.set(member, text: bytes.bytes)
            }
        case .date:
            if let text = json.stringBytes, let value = Timestamp(rfc3339: text) {
                return draft.set(member, date: value)
            }
        case .objectID:
            if let text = json.stringBytes, let value = ObjectID(text: text) {
                return draft.set(member, objectID: value)
            }
        case .uuid:
            if let text = json.stringBytes, let value = UUID128(text: text) {
                return draft.set(member, uuid: value)
            }
        case .link, .embedded, .mixed: break
        }
        scalarFault(json, draft.rowClass, member, at: name, element: nil)
    }

    /// Reads a list or set of plain values.
    func readScalars(_ json: JSONValue, _ member: Int, into draft: ObjectDraft) {
        let compiled = draft.rowClass.members[member]
        let element = compiled.storage.element
        collection.reset(element)
        for (index, json) in json.elements.enumerated() {
            if json.isNull, compiled.isOptional {
                collection.appendNull()
            } else if !append(json, compiled) {
                scalarFault(json, draft.rowClass, member, at: nil, element: index)
            } else if compiled.hasCases, let cases = draft.rowClass.cases[member],
                let last = collection.last, !cases.holds(last, element, scratch: bytes)
            {
                noCase(draft.rowClass, member, at: nil, element: index)
            }
        }
        draft.set(member, collection: collection)
    }

    /// Adds an element to the collection; false when it is not of the type.
    func append(_ json: JSONValue, _ member: RowClass.Member) -> Bool {
        switch member.storage.element {
        case .bool:
            guard let value = json.bool else { return false }
            collection.append(value)
        case .int:
            guard let value = ScalarText.int(json), member.holds(value) else { return false }
            collection.append(value)
        case .float:
            guard let value = ScalarText.float(json) else { return false }
            collection.append(value)
        case .decimal:
            guard let value = ScalarText.decimal(json) else { return false }
            collection.append(value)
        case .double:
            guard let value = ScalarText.double(json), !ScalarText.isTooLarge(json) else {
                return false
            }
            collection.append(value)
        case .string:
            guard let text = json.stringBytes, text.count <= ModelLimits.valueByteCountMax else {
                return false
            }
            collection.append(text: text)
        case .data:
            guard let text = json.stringBytes, decodeData(text),
                bytes.count <= ModelLimits.valueByteCountMax
            else { return false }
            collection.append(text: bytes.bytes)
        case .date:
            guard let text = json.stringBytes, let value = Timestamp(rfc3339: text) else {
                return false
            }
            collection.append(value)
        case .objectID:
            guard let text = json.stringBytes, let value = ObjectID(text: text) else {
                return false
            }
            collection.append(value)
        case .uuid:
            guard let text = json.stringBytes, let value = UUID128(text: text) else { return false }
            collection.append(value)
        case .link, .embedded, .mixed: return false
        }
        return true
    }

    /// Decodes base64 of either alphabet into ``bytes``.
    func decodeData(_ text: UnsafeRawBufferPointer) -> Bool {
        bytes.removeAll()
        return Base64.decodeEither(text, into: bytes)
    }

    /// Says that a value is none of an enum's.
    func noCase(
        _ rowClass: RowClass, _ member: Int, at name: UnsafeRawBufferPointer?, element: Int?
    ) {
        let values = rowClass.cases[member]?.values ?? []
        let buffer = ByteBuffer(capacity: 128)
        for (index, value) in values.prefix(20).enumerated() {
            if index > 0 { buffer.append(", " as StaticString) }
            SchemaWriter(JSONWriter(buffer)).write(value)
        }
        if values.count > 20 { buffer.append(", …") }
        let text = String(decoding: buffer.bytes, as: UTF8.self)
        fault(
            "not-in-enum",
            "'\(rowClass.definition.properties[member].name)' is an enum: it takes \(text).",
            at: name, element: element)
    }

    /// Says why a plain value was refused.
    func scalarFault(
        _ json: JSONValue, _ rowClass: RowClass, _ member: Int, at name: UnsafeRawBufferPointer?,
        element: Int?
    ) {
        let property = rowClass.definition.properties[member]
        if json.isNull {
            return fault(
                "null-not-allowed",
                "The elements of '\(property.name)' are not optional, so none can be null.",
                at: name, element: element)
        }
        let isString = json.kind == .string
        switch rowClass.members[member].storage.element {
        case .int where ScalarText.isIntegerOutOfRange(json) || ScalarText.int(json) != nil:
            let range = property.scalar?.integerRange ?? Int64.min...Int64.max
            return outOfRange(
                property,
                "an \(property.scalar?.name ?? "int") (\(range.lowerBound) to \(range.upperBound))",
                at: name, element: element)
        case .float where json.isNumber:
            return outOfRange(property, "a float", at: name, element: element)
        case .decimal where isString || json.isNumber:
            return fault(
                "invalid-decimal",
                "'\(property.name)' takes a decimal number of at most 34 digits, such as \"1.10\"; "
                    + "nothing is rounded.", at: name, element: element)
        case .double where ScalarText.isTooLarge(json):
            return outOfRange(property, "a double", at: name, element: element)
        case .string where isString: return tooLong(property, at: name, element: element)
        case .data where isString:
            if bytes.count > ModelLimits.valueByteCountMax {
                return tooLong(property, at: name, element: element)
            }
            return fault(
                "invalid-base64", "'\(property.name)' takes base64 (RFC 4648); this text is not.",
                at: name, element: element)
        case .date where isString:
            return fault(
                "invalid-date",
                "'\(property.name)' takes a date of RFC 3339 with at most nine decimals, such as "
                    + "\"2026-11-20T06:38:58Z\".", at: name, element: element)
        case .objectID where isString:
            return fault(
                "invalid-object-id", "'\(property.name)' takes 24 hexadecimal digits.", at: name,
                element: element)
        case .uuid where isString:
            return fault(
                "invalid-uuid",
                "'\(property.name)' takes a UUID, such as "
                    + "\"123e4567-e89b-12d3-a456-426614174000\".", at: name, element: element)
        default:
            fault(
                "wrong-type",
                element == nil && !property.type.isCollection
                    ? "'\(property.name)' takes \(Self.describe(property)); found \(Self.describe(json))."
                    : "'\(property.name)' is \(Self.describe(property)); found \(Self.describe(json)).",
                at: name, element: element)
        }
    }
}
