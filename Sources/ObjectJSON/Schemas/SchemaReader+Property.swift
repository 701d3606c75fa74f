import HoldfastJSON
import HoldfastObjectModel

extension SchemaReader {
    private static let propertyMembers = [
        "type", "element", "class", "property", "optional", "indexed", "default", "enum", "mapTo",
        "unique", "required", "onDelete",
    ]

    /// The long form of a property, as stated.
    private struct Statement {
        var type: TypeText?
        var typePointer = JSONPointer()
        var element: JSONValue?
        var className: String?
        var property: String?
        var isOptional: Bool?
        var isIndexed = false
        var searchIndex: SearchIndexKind?
        var isUnique = false
        var isRequired = false
        var onDelete = OnDelete.nullify
        var defaultValue: JSONValue?
        var cases: JSONValue?
        var mapTo: String?
    }

    /// Reads one property in either form; nil with at least one fault.
    mutating func readProperty(_ name: String, _ value: JSONValue, _ pointer: JSONPointer)
        -> Property?
    {
        let countBefore = faults.count
        var statement = Statement()
        statement.typePointer = pointer
        switch value.kind {
        case .string: statement.type = readTypeText(value, pointer)
        case .object: readMembers(value, pointer, &statement)
        default:
            fault(
                pointer, "wrong-type",
                "A property is a type such as \"int?\", or an object with the member 'type'.")
        }
        guard faults.count == countBefore, let type = statement.type,
            let resolved = resolve(type, statement, pointer)
        else { return nil }
        var property = Property(
            name: name, type: resolved.type, isOptional: resolved.isOptional,
            isIndexed: statement.isIndexed, isUnique: statement.isUnique,
            onDelete: statement.onDelete)
        property.isRequired = statement.isRequired
        property.mapTo = statement.mapTo
        property.searchIndex = statement.searchIndex
        if let stated = statement.cases {
            property.cases = readCases(stated, of: property, pointer.appending("enum"))
        }
        if let stated = statement.defaultValue {
            property.defaultValue = readDefault(stated, of: property, pointer.appending("default"))
        }
        return faults.count == countBefore ? property : nil
    }

    private mutating func readTypeText(_ value: JSONValue, _ pointer: JSONPointer) -> TypeText? {
        guard let text = readText(value, pointer) else { return nil }
        if let type = TypeText(text) { return type }
        fault(
            pointer, "invalid-schema",
            "'\(text)' is not a type: write a type's or class's name, '?' after it when null is "
                + "allowed, then '[]' for a list, '<>' for a set or '{}' for a map.")
        return nil
    }

    private mutating func readMembers(
        _ value: JSONValue, _ pointer: JSONPointer, _ statement: inout Statement
    ) {
        forEachMember(
            value, pointer, Self.propertyMembers, foreign: Self.foreignPropertyMembers
        ) { reader, member, value, pointer in
            if value.isNull, member != "default" { return }
            switch member {
            case "type":
                statement.type = reader.readTypeText(value, pointer)
                statement.typePointer = pointer
            case "element": statement.element = value
            case "class": statement.className = reader.readText(value, pointer)
            case "property": statement.property = reader.readText(value, pointer)
            case "optional": statement.isOptional = reader.readFlag(value, pointer)
            case "indexed":
                if let kind = value.string.flatMap(SearchIndexKind.init(name:)) {
                    statement.searchIndex = kind
                } else {
                    statement.isIndexed = reader.readFlag(value, pointer) ?? false
                }
            case "default": statement.defaultValue = value
            case "enum": statement.cases = value
            case "unique": statement.isUnique = reader.readFlag(value, pointer) ?? false
            case "required": statement.isRequired = reader.readFlag(value, pointer) ?? false
            case "onDelete": statement.onDelete = reader.readOnDelete(value, pointer)
            default: statement.mapTo = reader.readText(value, pointer)
            }
        }
        if statement.type == nil, value.member(named: "type") == nil {
            fault(pointer, "missing-member", "A property states its 'type'.")
        }
    }

    // MARK: Types

    private mutating func resolve(
        _ type: TypeText, _ statement: Statement, _ pointer: JSONPointer
    ) -> (type: PropertyType, isOptional: Bool)? {
        if type.hasOptionalShape {
            fault(
                statement.typePointer, "invalid-schema",
                "A collection is never null; leave the '?' at the end out.")
            return nil
        }
        switch type.name {
        case "linkingObjects" where type.shape == .single:
            return resolveInverse(type, statement, pointer)
        case "list", "set", "map":
            guard type.shape == .single, !type.isOptional else { break }
            return resolveCollection(type.name, statement, pointer)
        case "object":
            guard let name = statement.className else {
                fault(
                    pointer, "missing-member",
                    "A property of type 'object' states its 'class'. An inner object has an "
                        + "embedded class; 'mixed' takes any JSON.")
                return nil
            }
            var named = type
            named.name = name
            return resolve(element: .object(name), named, statement)
        default: break
        }
        if let name = statement.className {
            fault(
                pointer.appending("class"), "invalid-schema",
                "Only the types 'object' and 'linkingObjects' have a 'class'; '\(name)' is given with "
                    + "'\(type.name)'. The type of a link is the class itself: \"\(name)?\".")
            return nil
        }
        let element = ScalarType(name: type.name).map(ElementType.scalar) ?? .object(type.name)
        return resolve(element: element, type, statement)
    }

    private mutating func resolve(
        element: ElementType, _ type: TypeText, _ statement: Statement
    ) -> (type: PropertyType, isOptional: Bool)? {
        var isOptional = type.isOptional
        if let stated = statement.isOptional {
            if isOptional, !stated {
                fault(
                    statement.typePointer, "invalid-schema",
                    "The type ends in '?' and 'optional' is false; they contradict each other.")
                return nil
            }
            isOptional = stated
        }
        // A bare class name means an optional link, also in a map; saying that it is not optional is a fault.
        // Objects in lists and sets are never null, so a class name means just that there.
        if case .object = element, statement.isOptional == nil,
            type.shape == .single || type.shape == .map
        {
            isOptional = true
        }
        switch type.shape {
        case .single: return (.single(element), isOptional)
        case .list: return (.list(element), isOptional)
        case .set: return (.set(element), isOptional)
        case .map: return (.map(element), isOptional)
        }
    }

    private mutating func resolveCollection(
        _ kind: String, _ statement: Statement, _ pointer: JSONPointer
    ) -> (type: PropertyType, isOptional: Bool)? {
        if statement.isOptional == true {
            fault(
                pointer.appending("optional"), "invalid-schema",
                "A collection is never null; 'optional' of its 'element' says whether elements may be."
            )
            return nil
        }
        guard let value = statement.element else {
            fault(pointer, "missing-member", "A \(kind) states its 'element'.")
            return nil
        }
        let elementPointer = pointer.appending("element")
        var inner = Statement()
        inner.typePointer = elementPointer
        if value.kind == .object {
            forEachMember(
                value, elementPointer, ["type", "class", "optional"],
                foreign: Self.foreignPropertyMembers
            ) { reader, member, value, pointer in
                switch member {
                case "type":
                    inner.type = reader.readTypeText(value, pointer)
                    inner.typePointer = pointer
                case "class": inner.className = reader.readText(value, pointer)
                default: inner.isOptional = reader.readFlag(value, pointer)
                }
            }
            if value.member(named: "type") == nil {
                fault(elementPointer, "missing-member", "An element states its 'type'.")
            }
        } else {
            inner.type = readTypeText(value, elementPointer)
        }
        guard var type = inner.type else { return nil }
        guard type.shape == .single, !["list", "set", "map", "linkingObjects"].contains(type.name)
        else {
            fault(
                elementPointer, "invalid-schema",
                "A collection holds single values, links or embedded objects.")
            return nil
        }
        type.shape = kind == "list" ? .list : kind == "set" ? .set : .map
        return resolve(type, inner, elementPointer)
    }

    private mutating func resolveInverse(
        _ type: TypeText, _ statement: Statement, _ pointer: JSONPointer
    ) -> (type: PropertyType, isOptional: Bool)? {
        guard let className = statement.className, let property = statement.property else {
            fault(
                pointer, "missing-member",
                "An inverse link states the 'class' and the 'property' whose links it collects.")
            return nil
        }
        return (
            .linkingObjects(className: className, property: property),
            type.isOptional || statement.isOptional == true
        )
    }
}

/// A type in shorthand: a name, then `?` for an optional value, then `[]`, `<>` or `{}` for a collection.
struct TypeText: Equatable {
    /// The shapes that a name can be put into.
    enum Shape: String {
        case single = ""
        case list = "[]"
        case set = "<>"
        case map = "{}"

        init(endOf text: Substring) { self = Shape(rawValue: String(text.suffix(2))) ?? .single }
    }

    /// The name of a scalar type or of a class.
    package var name: String
    /// Whether `?` follows the name.
    var isOptional = false
    /// The collection, if it is one.
    var shape = Shape.single
    /// Whether `?` follows the collection, which is never right.
    var hasOptionalShape = false

    /// Reads a type; nil for text that has another form.
    init?(_ text: String) {
        var rest = Substring(text)
        if rest.hasSuffix("?"), Shape(endOf: rest.dropLast()) != .single {
            hasOptionalShape = true
            rest.removeLast()
        }
        shape = Shape(endOf: rest)
        if shape != .single { rest.removeLast(2) }
        if rest.hasSuffix("?") {
            isOptional = true
            rest.removeLast()
        }
        guard !rest.isEmpty, !rest.contains(where: { "?[]<>{}".contains($0) }) else { return nil }
        name = String(rest)
    }
}
