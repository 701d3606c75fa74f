import HoldfastJSON
import HoldfastObjectModel
import HoldfastText

/// Reads a schema, or one class of it, from JSON and collects every fault with its pointer.
///
/// The forms are those of the design's "Schema as JSON": the shorthand of Realm JS and the long form.
/// A form of a later version (further types, enums, …) is a fault that says so.
package struct SchemaReader: DefinitionReader {
    package var faults = FaultList()
    /// The renamings that stand beside a class that was read alone.
    package private(set) var classRenames = SchemaRenames()

    /// Makes a reader without faults.
    package init() {}

    /// Reads a whole schema; nil with at least one fault.
    ///
    /// The result holds by itself: ``Schema/faults()`` are among the faults, with pointers.
    package mutating func readSchema(_ root: JSONValue) -> SchemaDocument? {
        guard root.kind == .object else {
            fault(JSONPointer(), "wrong-type", "A schema is an object with the member 'classes'.")
            return nil
        }
        var document = SchemaDocument()
        var classes: JSONValue?
        forEachMember(root, JSONPointer(), Self.schemaMembers) { reader, name, value, pointer in
            switch name {
            case "revision": document.revision = reader.readNumber(value, pointer)
            case "schemaVersion":
                if !value.isNull {
                    document.schema.schemaVersion = reader.readNumber(value, pointer)
                }
            case "classes": classes = value
            case "renames": document.renames = reader.readRenames(value, pointer)
            // A reply's warnings may be sent back with the schema that they are about.
            default: break
            }
        }
        guard let classes else {
            fault(JSONPointer(), "missing-member", "A schema has the member 'classes', an array.")
            return nil
        }
        let pointer = JSONPointer().appending("classes")
        guard classes.kind == .array else {
            fault(pointer, "wrong-type", "'classes' is an array of classes.")
            return nil
        }
        for (index, value) in classes.elements.enumerated() {
            if let read = readClass(value, pointer.appending(index: index), named: nil) {
                document.schema.classes.append(read)
            }
        }
        guard faults.isEmpty else { return nil }
        let schema = document.schema
        add(schema.faults()) { name in
            schema.classes.lastIndex { $0.name.isSame(as: name) }.map {
                pointer.appending(index: $0)
            }
        }
        return faults.isEmpty ? document : nil
    }

    /// Reads one class.
    ///
    /// - `named`: The name that the path states, with which the body has to agree; nil when
    ///   the body has to state it.
    package mutating func readClass(_ value: JSONValue, _ pointer: JSONPointer, named: String?)
        -> ObjectClass?
    {
        guard value.kind == .object else {
            fault(pointer, "wrong-type", "A class is an object with 'name' and 'properties'.")
            return nil
        }
        var name = named
        var result = ObjectClass(name: "", properties: [])
        var properties: JSONValue?
        let countBefore = faults.count
        let known = Self.classMembers + (named == nil ? [] : ["renames"])
        forEachMember(value, pointer, known) { reader, member, value, pointer in
            switch member {
            case "name":
                guard let text = reader.readText(value, pointer) else { break }
                if let named, named != text {
                    reader.fault(
                        pointer, "invalid-schema",
                        "The body names the class '\(text)', the path '\(named)'.")
                }
                name = text
            case "kind": result.kind = reader.readKind(value, pointer) ?? .object
            case "primaryKey":
                if !value.isNull { result.primaryKey = reader.readText(value, pointer) }
            case "properties": properties = value
            case "renames":
                reader.classRenames = reader.readRenames(value, pointer)
            default: result.uniqueGroups = reader.readUniqueGroups(value, pointer)
            }
        }
        if let name {
            result.name = name
        } else if faults.count == countBefore {
            fault(pointer, "missing-member", "A class states its 'name'.")
        }
        guard let properties else {
            fault(
                pointer, "missing-member",
                "A class has 'properties', an object from names to types.")
            return nil
        }
        let inner = pointer.appending("properties")
        guard properties.kind == .object else {
            fault(inner, "wrong-type", "'properties' is an object from names to types.")
            return nil
        }
        forEachMember(properties, inner) { reader, name, value, pointer in
            if let property = reader.readProperty(name, value, pointer) {
                result.properties.append(property)
            }
        }
        return faults.count == countBefore ? result : nil
    }

    private mutating func readKind(_ value: JSONValue, _ pointer: JSONPointer) -> ObjectClass.Kind?
    {
        guard let text = readText(value, pointer) else { return nil }
        if let kind = ObjectClass.Kind(rawValue: text) { return kind }
        fault(
            pointer, "invalid-schema",
            "The kind of a class is 'object', 'embedded' or 'asymmetric'.",
            hint: NearestName.of(text, among: ObjectClass.Kind.allCases.map(\.rawValue)))
        return nil
    }

    // MARK: Faults

    private static let schemaMembers = [
        "revision", "schemaVersion", "classes", "renames", "warnings",
    ]
    private static let classMembers = ["name", "kind", "primaryKey", "properties", "unique"]

    /// Adds faults of a schema that was read.
    ///
    /// - `pointerOf`: The pointer to the class of a name; nil when it is not part of the body.
    package mutating func add(_ schemaFaults: [SchemaFault], pointerOf: (String) -> JSONPointer?) {
        for found in schemaFaults {
            var pointer = found.className.flatMap(pointerOf)
            if let property = found.property {
                pointer = pointer?.appending("properties").appending(property)
            }
            if let group = found.uniqueGroup {
                pointer = pointer?.appending("unique").appending(index: group)
            }
            let subject = pointer == nil ? found.className.map { "Class '\($0)': " } ?? "" : ""
            faults.note(
                RequestFault.Entry(
                    code: "invalid-schema", detail: subject + found.detail,
                    pointer: pointer?.description, hint: found.hint))
        }
    }
}
