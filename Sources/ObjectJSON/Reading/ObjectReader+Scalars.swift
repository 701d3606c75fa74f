import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

extension ObjectReader {
    /// Reads a single plain value that is not null.
    func readScalar(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int, into draft: ObjectDraft
    ) {
        let compiled = draft.rowClass.members[member]
        guard let value = plain(json, compiled) else {
            return scalarFault(json, draft.rowClass, member, at: name, element: nil)
        }
        draft.set(member, plain: value)
        if compiled.hasCases, !draft.isCase(member, scratch: bytes) {
            noCase(draft.rowClass, member, at: name, element: nil)
        }
    }

    /// Reads a plain value; nil when it is not of a property's type.
    @inline(__always)
    private func plain(_ json: JSONValue, _ member: RowClass.Member) -> PlainValue? {
        let value = PlainValue(json, member.storage.element, bytes)
        if case .inline(let inline)? = value, !member.holds(inline) { return nil }
        return value
    }

    /// Reads a list or set of plain values.
    func readScalars(_ json: JSONValue, _ member: Int, into draft: ObjectDraft) {
        let compiled = draft.rowClass.members[member]
        collection.reset(compiled.storage.element)
        for (index, json) in json.elements.enumerated() {
            if json.isNull, compiled.isOptional {
                collection.appendNull()
            } else {
                _ = append(json, member, of: draft.rowClass, at: nil, element: index)
            }
        }
        draft.set(member, collection: collection)
    }

    /// Adds an element to the collection; false with a fault when it may not be there.
    func append(
        _ json: JSONValue, _ member: Int, of rowClass: RowClass, at name: UnsafeRawBufferPointer?,
        element: Int?
    ) -> Bool {
        let compiled = rowClass.members[member]
        guard let value = plain(json, compiled) else {
            scalarFault(json, rowClass, member, at: name, element: element)
            return false
        }
        collection.append(plain: value)
        if compiled.hasCases, let cases = rowClass.cases[member], let last = collection.last,
            !cases.holds(last, compiled.storage.element, scratch: bytes)
        {
            noCase(rowClass, member, at: name, element: element)
            return false
        }
        return true
    }

    /// Notes that a value is not one of an enum's values.
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
        func refuse(_ code: String, _ detail: @autoclosure () -> String) {
            fault(code, detail(), at: name, element: element)
        }
        func outOfRange(_ type: String) {
            refuse(
                "out-of-range", "The value of '\(property.name)' is outside the range of \(type).")
        }
        if json.isNull {
            return refuse(
                "null-not-allowed",
                "The elements of '\(property.name)' are not optional, so they can't be null.")
        }
        let isString = json.kind == .string
        switch rowClass.members[member].storage.element {
        case .int where ScalarText.isIntegerOutOfRange(json) || ScalarText.int(json) != nil:
            let range = property.scalar?.integerRange ?? Int64.min...Int64.max
            outOfRange(
                "an \(property.scalar?.name ?? "int") (\(range.lowerBound) to \(range.upperBound))")
        case .float where json.isNumber: outOfRange("a float")
        case .decimal where isString || json.isNumber:
            refuse(
                "invalid-decimal",
                "'\(property.name)' takes a decimal number of at most 34 digits, such as \"1.10\"; "
                    + "nothing is rounded.")
        case .double where ScalarText.isTooLarge(json): outOfRange("a double")
        case .string where isString,
            .data where isString && bytes.count > ModelLimits.valueByteCountMax:
            tooLong(property, at: name, element: element)
        case .data where isString:
            refuse(
                "invalid-base64",
                "'\(property.name)' takes base64 (RFC 4648); this text is not."
                    + (json.string?.hasPrefix("data:") ?? false
                        ? " Leave out the beginning, such as 'data:image/png;base64,'."
                        : ""))
        case .date where isString:
            refuse(
                "invalid-date",
                "'\(property.name)' takes a date of RFC 3339 with at most nine decimals, such as "
                    + "\"2026-11-20T06:38:58Z\"."
                    + (Self.impossibleDay(json).map { " There is no such day as \($0)." } ?? ""))
        case .objectID where isString:
            refuse("invalid-object-id", "'\(property.name)' takes 24 hexadecimal digits.")
        case .uuid where isString:
            refuse(
                "invalid-uuid",
                "'\(property.name)' takes a UUID, such as "
                    + "\"123e4567-e89b-12d3-a456-426614174000\".")
        default:
            refuse(
                "wrong-type",
                "'\(property.name)' \(element == nil && !property.type.isCollection ? "takes" : "is") "
                    + "\(taken(by: rowClass, member)); found \(Self.describe(json))."
                    + Self.operatorAdvice(in: json))
        }
    }
}
