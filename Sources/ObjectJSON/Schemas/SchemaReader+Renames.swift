import HoldfastJSON
import HoldfastObjectModel

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
        forEachMember(value, pointer) { reader, old, value, pointer in
            guard let new = reader.readText(value, pointer) else { return }
            renames.entries.append(
                SchemaRenames.Entry(old: SchemaRenames.Name(old), new: SchemaRenames.Name(new)))
        }
        return renames
    }
}
