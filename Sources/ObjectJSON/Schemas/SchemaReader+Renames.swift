import JSON
import ObjectModel

extension SchemaReader {
    /// Reads renamings, an object from present names to new ones.
    mutating func readRenames(_ value: JSONValue, _ pointer: JSONPointer) -> SchemaRenames {
        if value.isNull { return SchemaRenames() }
        guard value.kind == .object else {
            fault(
                pointer, "wrong-type",
                "'renames' is an object from present names to new ones, such as {\"Person.full\": "
                    + "\"Person.name\"}.")
            return SchemaRenames()
        }
        var renames = SchemaRenames()
        if let repeated = value.repeatedName {
            fault(
                pointer.appending(String(decoding: repeated, as: UTF8.self)), "duplicate-name",
                "A name stands only once in an object.")
        }
        for member in value.members {
            let old = String(decoding: member.name, as: UTF8.self)
            if let new = readText(member.value, pointer.appending(old)) {
                renames.entries.append(
                    SchemaRenames.Entry(
                        old: SchemaRenames.Name(old), new: SchemaRenames.Name(new)))
            }
        }
        return renames
    }
}
