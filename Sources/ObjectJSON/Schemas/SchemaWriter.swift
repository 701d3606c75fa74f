import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery

/// Writes schemas and classes as JSON: the long form, in declaration order. Members with their defaults
/// (not optional, not indexed) are left out.
package struct SchemaWriter {
    package let writer: JSONWriter
    /// Whether ints beyond 2^53 are strings.
    private let quotesLargeInts: Bool

    package init(_ writer: JSONWriter, quotesLargeInts: Bool = false) {
        self.writer = writer
        self.quotesLargeInts = quotesLargeInts
    }

    /// Writes a whole schema with its warnings.
    package func write(_ schema: Schema) {
        writer.object { object in
            object.member("revision").uint(schema.revision)
            if let version = schema.schemaVersion { object.member("schemaVersion").uint(version) }
            object.member("classes").array(of: schema.classes) { objectClass, _ in
                write(objectClass)
            }
            object.member("warnings").objects(of: Self.warnings(of: schema)) { warning, object in
                object.member("class").string(warning.className)
                object.member("property").string(warning.property)
                object.member("detail").string(warning.detail)
            }
        }
    }

    /// A warning for the author of a schema. The schema is valid nevertheless.
    package struct Warning {
        package let className: String
        package let property: String
        /// A sentence that says how the effect differs from the apparent one, and how to correct it.
        package let detail: String
    }

    /// The warnings of a schema, in the order of its properties.
    package static func warnings(of schema: Schema) -> [Warning] {
        schema.classes.flatMap { objectClass in
            objectClass.properties.flatMap { property in
                details(of: property).map {
                    Warning(className: objectClass.name, property: property.name, detail: $0)
                }
            }
        }
    }

    private static func details(of property: Property) -> [String] {
        var details: [String] = []
        if CompiledQuery.isReserved(property.name[...]) {
            details.append(
                "'\(property.name)' is a word of the query language, so that queries "
                    + "cannot name this property. It is stored and read as any other.")
        }
        if case .constant(.string(let text))? = property.defaultValue,
            text.utf8.starts(with: "$user".utf8)
        {
            details.append(
                "The default of '\(property.name)' is the text '\(RequestFault.shown(text))': the default that is the id of the "
                    + "user who creates an object is \"$user\".")
        }
        return details
    }

    /// Writes the steps of a change, the reply to a dry run.
    package func write(_ steps: [SchemaStep]) {
        writer.object { object in
            object.member("changes").objects(of: steps) { step, object in
                object.member("op").string(step.operation.rawValue)
                if let name = step.className { object.member("class").string(name) }
                if let name = step.property { object.member("property").string(name) }
                if let name = step.formerName { object.member("from").string(name) }
                object.member("objects").int(Int64(step.objectCount))
                object.member("lossy").bool(step.isLossy)
            }
        }
    }

    package func write(_ objectClass: ObjectClass) {
        writer.object { object in
            object.member("name").string(objectClass.name)
            object.member("kind").string(objectClass.kind.rawValue)
            if let primaryKey = objectClass.primaryKey {
                object.member("primaryKey").string(primaryKey)
            }
            object.member("properties").object { properties in
                for property in objectClass.properties {
                    _ = properties.member(named: property.name)
                    write(property)
                }
            }
            if !objectClass.uniqueGroups.isEmpty {
                object.member("unique").array(of: objectClass.uniqueGroups) { $1.strings($0) }
            }
        }
    }

    private func write(_ property: Property) {
        writer.object { object in
            switch property.type {
            case .single(let element): write(element, isOptional: property.isOptional, to: &object)
            case .list(let element): write("list", of: element, property, to: &object)
            case .set(let element): write("set", of: element, property, to: &object)
            case .map(let element): write("map", of: element, property, to: &object)
            case .linkingObjects(let className, let name):
                object.member("type").string("linkingObjects")
                object.member("class").string(className)
                object.member("property").string(name)
            }
            if let name = property.mapTo { object.member("mapTo").string(name) }
            if property.isIndexed { object.member("indexed").bool(true) }
            if let kind = property.searchIndex { object.member("indexed").string(kind.name) }
            if property.isUnique { object.member("unique").bool(true) }
            if property.isRequired { object.member("required").bool(true) }
            if property.onDelete != .nullify {
                object.member("onDelete").string(property.onDelete.rawValue)
            }
            if let cases = property.cases {
                object.member("enum").array(of: cases) { value, _ in write(value) }
            }
            if let value = property.defaultValue {
                _ = object.member("default")
                write(value, of: property)
            }
        }
    }

    private func write(
        _ type: String, of element: ElementType, _ property: Property,
        to object: inout JSONObjectWriter
    ) {
        object.member("type").string(type)
        object.member("element").object { inner in
            write(element, isOptional: property.isOptional, to: &inner)
        }
    }

    private func write(_ element: ElementType, isOptional: Bool, to object: inout JSONObjectWriter)
    {
        switch element {
        case .scalar(let scalar): object.member("type").string(scalar.name)
        case .object(let name):
            object.member("type").string("object")
            object.member("class").string(name)
        }
        if isOptional { object.member("optional").bool(true) }
    }

    /// Writes a declared default.
    package func write(_ value: DefaultValue, of property: Property) {
        switch value {
        case .constant where property.type.isMap: writer.raw("{}")
        case .constant(let value) where property.type == .single(.scalar(.mixed)):
            MixedText.write(value, quotesLargeInts: quotesLargeInts, to: writer)
        case .uuid: writer.string("$uuid")
        case .objectID: writer.string("$objectId")
        case .now: writer.string("$now")
        case .next: writer.string("$next")
        case .user: writer.string("$user")
        case .constant(let value): write(value)
        }
    }

    /// Writes a default, or a value of an enum.
    package func write(_ value: Value) {
        MixedText.write(
            value, statingKinds: false, quotesLargeInts: quotesLargeInts, to: writer)
    }
}
