import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// Reads a schema, or one class of it, from JSON and collects every fault with its pointer.
///
/// It takes the two forms of "Schema as JSON" in the design: the shorthand of Realm JS and the long form.
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
            let form = "[{\"name\": \"Person\", \"properties\": {…}}]"
            fault(pointer, "wrong-type", "'classes' is an array of classes, such as \(form).")
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
    /// - `named`: The name that the path states, with which the body has to agree; nil when the body has to state it.
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
        forEachMember(value, pointer, known, foreign: Self.foreignClassMembers) {
            reader, member, value, pointer in
            switch member {
            case "name":
                guard let text = reader.readText(value, pointer) else { break }
                if let named, named != text {
                    reader.fault(
                        pointer, "invalid-schema",
                        "The body names the class '\(text)', but the path names '\(named)'.")
                }
                name = text
            case "kind": result.kind = reader.readKind(value, pointer) ?? .object
            case "primaryKey" where value.kind == .array:
                reader.fault(
                    pointer, "wrong-type",
                    "'primaryKey' is the name of one property. Several that are unique together "
                        + "are \"unique\": [[\"a\", \"b\"]].")
            case "primaryKey":
                if !value.isNull { result.primaryKey = reader.readText(value, pointer) }
            case "properties": properties = value
            case "renames": reader.classRenames = reader.readRenames(value, pointer)
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

    /// Reads the effect of a target's deletion on the holder of the link.
    mutating func readOnDelete(_ value: JSONValue, _ pointer: JSONPointer) -> OnDelete {
        guard let text = readText(value, pointer) else { return .nullify }
        if let rule = OnDelete(rawValue: text) { return rule }
        let names = OnDelete.allCases.map(\.rawValue)
        fault(
            pointer, "invalid-schema", "'onDelete' is one of \(names.joined(separator: ", ")).",
            hint: NearestName.of(text, among: names))
        return .nullify
    }

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
            if text == "$user" {
                if case .single(.scalar(let scalar)) = property.type, scalar.canBeUser {
                    return .user
                }
                fault(
                    pointer, "invalid-default",
                    "\"$user\" is a default of properties of type 'string', 'int', 'uuid' or 'objectId'."
                )
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
        if value.string == "$user.id", scalar.canBeUser {
            fault(
                pointer, "invalid-default",
                "The default that is the id of the user who creates an object is \"$user\".",
                hint: "$user")
            return nil
        }
        if let read = PlainValue.value(value, ElementStorage(scalar)) { return .constant(read) }
        fault(
            pointer, "invalid-default", "The default is not a value of type '\(scalar.name)'.",
            hint: value.string.flatMap { text in
                Self.foreignGenerators.word(for: text) {
                    $0 == "$user"
                        ? scalar.canBeUser
                        : Self.generators[$0]?.scalar == scalar
                            || $0 == "$next" && scalar.integerRange != nil
                }
            })
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
            let detail = "Only plain values of one type have an enum, such as \"type\": \"string\"."
            fault(pointer, "invalid-schema", detail)
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

/// A schema as a client sent it.
package struct SchemaDocument: Equatable {
    /// The revision that the schema was made from, if it is stated.
    package var revision: UInt64?
    /// The classes. Its own revision is 0: the store counts.
    package var schema = Schema()
    /// The names that are new names of stored classes and properties.
    package var renames = SchemaRenames()

    /// Finds the position of a part of the schema in the document.
    package func pointer(of subject: SchemaSubject) -> JSONPointer? {
        switch subject {
        case .className(let name):
            schema.classes.firstIndex { $0.name.isSame(as: name) }.map {
                JSONPointer().appending("classes").appending(index: $0)
            }
        case .rename(let old): JSONPointer().appending("renames").appending(old)
        }
    }
}
