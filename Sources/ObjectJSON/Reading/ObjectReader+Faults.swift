import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

extension ObjectReader {
    /// Makes the fault of a body with faults: 400 when names repeat, else 422.
    package func fault() -> RequestFault {
        refusal ?? .object(found, hasRepeatedName: hasRepeatedName)
    }

    /// Makes the pointer to the value that is being read, or to its member `name`.
    package func pointer(at name: UnsafeRawBufferPointer?) -> JSONPointer {
        var pointer = JSONPointer()
        for step in path {
            switch step {
            case .name(let name): pointer.append(name)
            case .element(let index): pointer.append(index: index)
            }
        }
        if let name { pointer.append(name) }
        return pointer
    }

    /// Notes a fault at the value that is being read, or at the member `name` of it.
    package func fault(
        _ code: String, _ detail: @autoclosure () -> String,
        at name: UnsafeRawBufferPointer? = nil, element: Int? = nil, hint: String? = nil
    ) {
        found.note(
            code, detail(),
            at: element.map { pointer(at: name).appending(index: $0) } ?? pointer(at: name),
            hint: hint)
    }

    /// Notes a fault at a member that the reader names itself.
    func fault(
        _ code: String, _ detail: String, at name: StaticString, element: Int? = nil,
        hint: String? = nil
    ) {
        fault(code, detail, at: Self.name(name), element: element, hint: hint)
    }

    /// Notes a fault with a pointer that begins at the value being read.
    package func add(_ fault: RequestFault.Entry) {
        found.note(
            RequestFault.Entry(
                code: fault.code, detail: fault.detail,
                pointer: pointer(at: nil).description + (fault.pointer ?? ""), hint: fault.hint))
    }

    func repeated(_ name: UnsafeRawBufferPointer) {
        hasRepeatedName = true
        fault(
            "duplicate-name", "'\(Self.text(name))' occurs more than once in this object.", at: name
        )
    }

    func unknown(_ name: UnsafeRawBufferPointer, _ rowClass: RowClass) {
        // Made where it is told: to find a name that is near takes longer than all the rest.
        found.note(
            "unknown-property",
            "Class '\(rowClass.definition.name)' has no property '\(Self.text(name))'."
                + Self.advice(Self.text(name), rowClass),
            at: pointer(at: name), hint: Self.hint(Self.text(name), rowClass))
    }

    /// Finds the name that an unknown one of a class may mean.
    private static func hint(_ name: String, _ rowClass: RowClass) -> String? {
        if !advice(name, rowClass).isEmpty { return nil }
        let special = rowClass.definition.kind.standsAlone ? ["$id", "$version"] : []
        return rowClass.member(named: name).map { rowClass.definition.properties[$0].name }
            ?? NearestName.of(name, among: rowClass.knownNames + special)
    }

    func nullNotAllowed(_ name: UnsafeRawBufferPointer, _ rowClass: RowClass, _ member: Int) {
        let property = rowClass.definition.properties[member]
        fault(
            "null-not-allowed",
            property.type.isCollection
                ? "'\(property.name)' is a collection and never null; send "
                    + "\(property.type.isMap ? "{}" : "[]") to empty it."
                : "'\(property.name)' is not optional, so it can't be null.", at: name)
    }

    package func wrongType(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ rowClass: RowClass, _ member: Int
    ) {
        let property = rowClass.definition.properties[member]
        fault(
            "wrong-type",
            "'\(property.name)' takes \(taken(by: rowClass, member)); found \(Self.describe(json))."
                + Self.operatorAdvice(in: json), at: name)
    }

    func tooLong(_ property: Property, at name: UnsafeRawBufferPointer?, element: Int?) {
        fault(
            "too-long",
            "The value of '\(property.name)' is longer than the \(ModelLimits.valueByteCountMax) "
                + "bytes that a string or data value may have.", at: name, element: element)
    }

    /// The name of a member, from a static text.
    package static func name(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    package static func text(_ name: UnsafeRawBufferPointer) -> String {
        // A name that long is shown by its beginning.
        name.count <= 128
            ? String(decoding: name, as: UTF8.self)
            : String(decoding: name.prefix(128), as: UTF8.self) + "…"
    }

    /// Names the kind of a JSON value, for people.
    package static func describe(_ json: JSONValue) -> String {
        switch json.kind {
        case .null: "null"
        case .bool: "a bool"
        case .integer: "an integer"
        case .double: json.isBigInteger ? "an integer" : "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Names the values that a property takes, for people.
    package static func describe(_ property: Property) -> String {
        describe(property) { describe($0, isMany: $1) }
    }

    static func describe(
        _ property: Property, _ describe: (_ element: ElementType, _ isMany: Bool) -> String
    ) -> String {
        switch property.type {
        case .single(let element): describe(element, false)
        case .list(let element), .set(let element): "an array of \(describe(element, true))"
        case .map(let element): "an object whose values are \(describe(element, true))"
        case .linkingObjects: "nothing"
        }
    }

    private static func describe(_ element: ElementType, isMany: Bool) -> String {
        switch element {
        case .object(let name):
            return isMany ? "'\(name)' (keys or objects)" : "a '\(name)' (its key or an object)"
        case .scalar(let scalar):
            switch scalar {
            case .bool: return isMany ? "bools" : "true or false"
            case .int, .int8, .int16, .int32, .int64:
                return isMany ? "\(scalar.name)s" : "an \(scalar.name)"
            case .decimal128:
                return isMany
                    ? "decimal numbers" : "a decimal number of at most 34 digits, such as \"1.10\""
            case .float, .double: return isMany ? "numbers" : "a number"
            case .string: return isMany ? "strings" : "a string"
            case .data: return isMany ? "strings of base64" : "a string of base64"
            case .date:
                return isMany
                    ? "dates of RFC 3339" : "a date of RFC 3339, such as \"2026-11-20T06:38:58Z\""
            case .objectID:
                return isMany
                    ? "strings of 24 hexadecimal digits" : "a string of 24 hexadecimal digits"
            case .uuid:
                return isMany ? "UUIDs" : "a UUID, such as \"123e4567-e89b-12d3-a456-426614174000\""
            case .mixed: return isMany ? "values of any kind" : "a value of any kind"
            }
        }
    }
}
