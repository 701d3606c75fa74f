import HoldfastJSON
import HoldfastObjectModel
import HoldfastText

extension SchemaReader {
    /// Reads the unique groups of a class, `[["a","b"],…]`.
    mutating func readUniqueGroups(_ value: JSONValue, _ pointer: JSONPointer) -> [[String]] {
        if value.isNull { return [] }
        guard value.kind == .array else {
            fault(
                pointer, "wrong-type",
                "'unique' of a class is an array of groups, each an array of properties, such as "
                    + "[[\"country\",\"code\"]].")
            return []
        }
        var groups: [[String]] = []
        for (index, element) in value.elements.enumerated() {
            let itemPointer = pointer.appending(index: index)
            guard element.kind == .array else {
                fault(
                    itemPointer, "wrong-type",
                    "A unique group is an array of properties, such as [\"country\",\"code\"].")
                continue
            }
            groups.append(
                element.elements.enumerated().compactMap { position, name in
                    readText(name, itemPointer.appending(index: position))
                })
        }
        return groups
    }

    /// Reads what becomes of a link's holder when the target is deleted.
    mutating func readOnDelete(_ value: JSONValue, _ pointer: JSONPointer) -> OnDelete {
        guard let text = readText(value, pointer) else { return .nullify }
        if let rule = OnDelete(rawValue: text) { return rule }
        let names = OnDelete.allCases.map(\.rawValue)
        fault(
            pointer, "invalid-schema",
            "'onDelete' is one of \(names.joined(separator: ", ")).",
            hint: NearestName.of(text, among: names))
        return .nullify
    }
}
