import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

extension SchemaReader {
    private static let generators: [String: (scalar: ScalarType, value: DefaultValue)] = [
        "$uuid": (.uuid, .uuid), "$objectId": (.objectID, .objectID), "$now": (.date, .now),
    ]

    /// Reads a declared default in the form that values of the property's type have.
    mutating func readDefault(
        _ value: JSONValue, of property: Property, _ pointer: JSONPointer
    ) -> DefaultValue? {
        if let text = value.string, text.hasPrefix("$"), property.scalar != .mixed {
            if text == "$next" {
                if property.scalar?.integerRange != nil, !property.type.isCollection {
                    return .next
                }
                fault(
                    pointer, "invalid-default",
                    "\"$next\" is a default of primary keys that are integers.")
                return nil
            }
            if let generator = Self.generators[text] {
                if property.type == .single(.scalar(generator.scalar)) { return generator.value }
                fault(
                    pointer, "invalid-default",
                    "\"\(text)\" is a default of properties of type '\(generator.scalar.name)'.")
                return nil
            }
        }
        if value.isNull { return .constant(.null) }
        guard case .single(let element) = property.type else {
            let isMap = property.type.isMap
            if value.kind == (isMap ? .object : .array), value.count == 0 {
                return .constant(.list([]))
            }
            fault(
                pointer, "invalid-default",
                isMap
                    ? "The only default of a map is {}." : "The only default of a collection is []."
            )
            return nil
        }
        guard case .scalar(let scalar) = element else {
            fault(
                pointer, "invalid-default", "The only default of a link or embedded object is null."
            )
            return nil
        }
        if scalar == .mixed {
            if let read = MixedText.value(value), read.fitsMixed { return .constant(read) }
            fault(
                pointer, "invalid-default",
                "The default is not a mixed value without links: \(MixedForm.examples).")
            return nil
        }
        if let read = PlainValue.value(value, ElementStorage(scalar)) { return .constant(read) }
        fault(pointer, "invalid-default", "The default is not a value of type '\(scalar.name)'.")
        return nil
    }

    /// Reads the values of an enum, in the form that values of the property's type have.
    mutating func readCases(
        _ value: JSONValue, of property: Property, _ pointer: JSONPointer
    ) -> [Value]? {
        guard value.kind == .array else {
            fault(pointer, "wrong-type", "An enum is an array of the values that are allowed.")
            return nil
        }
        guard let scalar = property.scalar, scalar != .mixed else {
            fault(pointer, "invalid-schema", "Only plain values of one type have an enum.")
            return nil
        }
        var cases: [Value] = []
        for (index, json) in value.elements.enumerated() {
            if let read = PlainValue.value(json, ElementStorage(scalar)) {
                cases.append(read)
            } else {
                fault(
                    pointer.appending("\(index)"), "invalid-schema",
                    "The value is not one of type '\(scalar.name)'.")
            }
        }
        return cases
    }
}
