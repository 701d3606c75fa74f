import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

extension ObjectReader {
    /// Reads a line of a whole store's export: `{"class":…,"id":…,"object":{…}}`. Nil, with ``faults``, if something is
    /// wrong. `id` may be left out if the object states its key itself.
    ///
    /// For an object without a primary key, ``ObjectReading/objectKey`` is its key in the store that it comes from.
    func readStored(_ json: JSONValue, names: SchemaNames, isMerge: Bool) -> ObjectReading? {
        self.names = names
        let before = faultCount
        guard json.kind == .object else {
            fault(
                "wrong-type",
                "A line has the form {\"class\":…,\"id\":…,\"object\":{…}}; found "
                    + "\(Self.describe(json)).")
            return nil
        }
        var className: JSONValue?
        var id: JSONValue?
        var object: JSONValue?
        for member in json.members {
            if member.isNamed("class"), className == nil {
                className = member.value
            } else if member.isNamed("id"), id == nil {
                id = member.value
            } else if member.isNamed("object"), object == nil {
                object = member.value
            } else {
                fault(
                    "unknown-member",
                    "A line has 'class', 'id' and 'object', each once, and not "
                        + "'\(Self.text(member.name))'.", at: member.name)
            }
        }
        guard let className, let object else {
            fault("missing-member", "A line lacks '\(className == nil ? "class" : "object")'.")
            return nil
        }
        guard let rowClass = storedClass(className, names) else { return nil }
        var key: Value?
        if let id {
            key = KeyText.value(id, of: rowClass)
            if key == nil {
                fault("wrong-type", KeyText.wrongType(rowClass).detail)
                return nil
            }
        }
        path.append(.name(Self.name("object")))
        defer { path.removeLast() }
        var reading = read(object, as: rowClass, names: names, isMerge: isMerge, key: key)
        if rowClass.primaryKeyIndex == nil, case .int(let number)? = key {
            reading?.objectKey = UInt64(clamping: number)
        }
        return faultCount == before ? reading : nil
    }

    private func storedClass(_ json: JSONValue, _ names: SchemaNames) -> RowClass? {
        let pointer = Self.name("class")
        guard let name = json.stringBytes, let index = names.classIndex(named: name) else {
            fault(
                "unknown-class",
                "There is no class \(json.stringBytes.map { "'\(Self.text($0))'" } ?? Self.describe(json)).",
                at: pointer,
                hint: json.string.flatMap {
                    NearestName.of($0, among: names.schema.definition.classes.lazy.map(\.name))
                })
            return nil
        }
        let rowClass = names.schema.classes[index]
        guard StoreHeader.holdsObjects(of: rowClass.definition) else {
            fault(
                "wrong-class",
                "Objects of class '\(rowClass.definition.name)' have no lines of their own.",
                at: pointer)
            return nil
        }
        return rowClass
    }
}
