import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel

/// A merge patch of one class of a schema.
package struct ClassPatch {
    /// The class that it changes.
    private let present: ObjectClass
    private let body: JSONValue

    /// Makes a patch; `body` is its JSON, valid as long as the patch is used.
    package init(_ body: JSONValue, of present: ObjectClass) {
        self.body = body
        self.present = present
    }

    /// Reads the class that the patch makes of the present one: it is renamed first, then merged in the long form.
    ///
    /// - Throws: ``RequestFault`` with every fault of the result; pointers lead into it as into the body.
    package func read() throws(RequestFault) -> (ObjectClass, SchemaRenames) {
        let renames = try SchemaReader.read(body) { reader, root -> SchemaRenames? in
            guard root.kind == .object else {
                reader.fault(
                    JSONPointer(), "wrong-type",
                    "A change of a class is an object such as {\"properties\": {\"age\": \"int?\"}}; null removes."
                )
                return nil
            }
            return root.member(named: "renames").map { value in
                reader.readRenames(value, JSONPointer().appending("renames"))
            } ?? SchemaRenames()
        }
        let renamed = present.renamed(renames)
        let base = ByteBuffer(capacity: 1024)
        SchemaWriter(JSONWriter(base)).write(renamed)
        let merged = ByteBuffer(capacity: base.count + 512)
        // Parsed values are valid as long as their parser exists.
        let (ofBase, ofMerged) = (JSONParser(), JSONParser())
        defer { withExtendedLifetime((ofBase, ofMerged)) {} }
        JSONWriter(merged).merge(body, into: try ofBase.value(of: base.array))
        return try SchemaReader.read(try ofMerged.value(of: merged.array)) { reader, root in
            reader.readClass(root, JSONPointer(), named: renamed.name).map { ($0, renames) }
        }
    }
}

extension ObjectClass {
    /// Returns the class with the names that renamings give to it and its properties.
    fileprivate func renamed(_ renames: SchemaRenames) -> ObjectClass {
        var result = self
        func newName(_ property: String) -> String {
            renames.newName(ofProperty: property, inOld: name)
        }
        result.name = renames.newName(ofClass: name)
        result.primaryKey = primaryKey.map(newName)
        result.uniqueGroups = uniqueGroups.map { $0.map(newName) }
        for index in result.properties.indices {
            result.properties[index].name = newName(properties[index].name)
            result.properties[index].type = properties[index].type.renamed(renames)
        }
        return result
    }
}
