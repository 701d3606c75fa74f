import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel

/// Writes the classes of a schema as types of TypeScript, in the forms in which the client of `clients/javascript` gets
/// objects: whole, with ints beyond 2^53 as strings.
///
/// A property that replies have only if `fields` names it may be missing there; any other one is there, or null.
package struct TypeScriptWriter {
    private let schema: Schema
    private let statesNumbers: Bool
    private let names: TypeScriptNames
    /// The shared types that the classes use.
    private var used: Set<TypeScriptNames.Shared> = []

    /// Returns the types of the classes of a schema, as the text of a module.
    ///
    /// - `statesNumbers`: Whether an `int` is a number and nothing else, for stores without ints beyond 2^53.
    package static func text(of schema: Schema, statesNumbers: Bool = false) -> String {
        var writer = TypeScriptWriter(schema, statesNumbers)
        return writer.module()
    }

    private init(_ schema: Schema, _ statesNumbers: Bool) {
        self.schema = schema
        self.statesNumbers = statesNumbers
        names = TypeScriptNames(schema)
    }

    private mutating func module() -> String {
        let classes = schema.classes.map { declaration(of: $0) }
        var parts = [
            "// The types of a Holdfast store, by `holdfast schema typescript`; revision "
                + "\(schema.revision) of its schema.\n"
        ]
        parts += TypeScriptNames.Shared.allCases.filter(used.contains).map {
            "/** \($0.comment) */\nexport type \(names[$0]) = \($0.definition(names[$0]));\n"
        }
        return (parts + classes + [index()]).joined(separator: "\n")
    }

    /// The type that maps the names of classes to their types. Embedded objects are reached through others.
    private func index() -> String {
        let entries = schema.classes.filter(\.kind.standsAlone).map {
            "  \(TypeScriptNames.member($0.name)): \(names[$0.name]);\n"
        }
        let name = names.index
        return "/** The classes, for `new Holdfast<\(name)>(url)`. */\nexport interface \(name) {\n"
            + entries.joined() + "}\n"
    }

    // MARK: Classes

    private mutating func declaration(of objectClass: ObjectClass) -> String {
        var text = ""
        switch objectClass.kind {
        case .object: break
        case .embedded: text += "/** Embedded: part of another object. */\n"
        case .asymmetric: text += "/** Asymmetric: created, never read. */\n"
        }
        text += "export interface \(names[objectClass.name]) {\n"
        if objectClass.kind == .object, objectClass.primaryKey == nil {
            text += "  /** The service numbers the objects. */\n  readonly $id: number;\n"
        }
        for property in objectClass.properties {
            let comment = comment(on: property, of: objectClass)
            if !comment.isEmpty { text += "  /** \(comment) */\n" }
            let type = typeText(of: property)
            let name = TypeScriptNames.member(property.name)
            if case .linkingObjects = property.type {
                text += "  readonly \(name)?: \(type);\n"
            } else {
                text += "  \(name): \(type);\n"
            }
        }
        return text + "}\n"
    }

    /// The words about a property that its type does not say. Names and words of the schema language have no `*/`.
    private func comment(on property: Property, of objectClass: ObjectClass) -> String {
        var words: [String] = []
        if let kind = kind(of: property) { words.append(kind) }
        if property.name == objectClass.primaryKey { words.append("the primary key") }
        if property.isUnique { words.append("unique") }
        if property.isRequired { words.append("required in new objects") }
        switch property.defaultValue {
        case .uuid, .objectID: words.append("random by default")
        case .now: words.append("the time of the write by default")
        case .next: words.append("the next number by default")
        case .user: words.append("the user's id by default")
        case .constant, nil: break
        }
        return words.joined(separator: "; ")
    }

    /// The property's type in the words of the schema language, if TypeScript has no such type; otherwise nil.
    private func kind(of property: Property) -> String? {
        switch property.type {
        case .single(let element): return word(element, isEach: false)
        case .list(let element): return word(element, isEach: true).map { "list of \($0)" }
        case .set(let element):
            return "set" + (word(element, isEach: true).map { " of \($0)" } ?? "")
        case .map(let element): return word(element, isEach: true).map { "map of \($0)" }
        case .linkingObjects(let className, let name):
            return "the objects of \(className) whose `\(name)` links here, if `fields` names it"
        }
    }

    /// The words about a value, or about each value of a collection.
    private func word(_ element: ElementType, isEach: Bool) -> String? {
        switch element {
        case .scalar(.bool), .scalar(.string), .scalar(.mixed): nil
        case .scalar(.data): isEach ? "data" : "data, in base64"
        case .scalar(.date): isEach ? "dates" : "date, in RFC 3339"
        case .scalar(let scalar): scalar.name
        case .object(let name) where isEmbedded(name): nil
        case .object(let name):
            isEach
                ? "links to \(name): keys, or objects with `expand`"
                : "link to \(name): a key, or the object with `expand`"
        }
    }

    // MARK: Types

    private mutating func typeText(of property: Property) -> String {
        switch property.type {
        case .single(let element):
            return typeText(of: element, property)
        case .list(let element), .set(let element):
            let inner = typeText(of: element, property)
            return inner.contains(" ") ? "(\(inner))[]" : "\(inner)[]"
        case .map(let element):
            return "{[key: string]: \(typeText(of: element, property))}"
        case .linkingObjects(let className, _):
            guard isEmbedded(className) else { return "(\(target(className)))[]" }
            return "(\(names[className]) & {$owner?: \(shared(.owner))})[]"
        }
    }

    private mutating func typeText(of element: ElementType, _ property: Property) -> String {
        var text =
            switch element {
            case .scalar(let scalar):
                property.cases.map(union) ?? typeText(of: scalar)
            case .object(let name): isEmbedded(name) ? names[name] : target(name)
            }
        if property.isOptional, property.scalar != .mixed { text += " | null" }
        return text
    }

    /// An enum's values.
    private func union(_ cases: [Value]) -> String {
        cases.map { value in
            let buffer = ByteBuffer()
            SchemaWriter(JSONWriter(buffer)).write(value)
            let literal = String(decoding: buffer.bytes, as: UTF8.self)
            if case .int(let number) = value, number.magnitude > 1 << 53 {
                return statesNumbers ? literal : "\"\(literal)\""
            }
            return literal
        }.joined(separator: " | ")
    }

    private mutating func typeText(of scalar: ScalarType) -> String {
        switch scalar {
        case .bool: "boolean"
        case .int8, .int16, .int32: "number"
        case .int, .int64: statesNumbers ? "number" : shared(.int)
        case .float, .double: shared(.double)
        case .string, .data, .date, .objectID, .uuid, .decimal128: "string"
        case .mixed: shared(.mixed)
        }
    }

    /// A link in a reply: the target's key, or the target.
    private mutating func target(_ className: String) -> String {
        let definition = schema.objectClass(named: className)
        let key = definition?.primaryKey.flatMap { name in
            definition?.properties.first { $0.name == name }
        }
        guard let key, let scalar = key.scalar else { return "number | \(names[className])" }
        // The one object whose key is null is not named by its key alone.
        let null = key.isOptional ? " | {$link: {class: string; id: null}}" : ""
        return "\(typeText(of: scalar)) | \(names[className])\(null)"
    }

    private mutating func shared(_ type: TypeScriptNames.Shared) -> String {
        used.insert(type)
        return names[type]
    }

    private func isEmbedded(_ className: String) -> Bool {
        schema.objectClass(named: className)?.kind == .embedded
    }
}
