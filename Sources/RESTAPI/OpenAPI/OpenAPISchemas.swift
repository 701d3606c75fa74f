import JSON
import ObjectJSON
import ObjectModel

/// Writes the schemas of classes: their objects in replies and in writes, and what holds them.
struct OpenAPISchemas {
    /// What an object is looked at for.
    enum Form {
        /// In a reply: links as keys or expanded, inverse links when they are asked for.
        case reply
        /// A whole object: what is left out gets its default.
        case input
        /// A change: what is left out stays.
        case patch
    }

    let classes: OpenAPIClasses

    /// Adds every schema that belongs to a class.
    func write(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        schemas.member(named: entry.object).object { writeObject(entry, .reply, to: &$0) }
        schemas.member(named: entry.input).object { writeObject(entry, .input, to: &$0) }
        if !entry.isAsymmetric {
            schemas.member(named: entry.patch).object { writeObject(entry, .patch, to: &$0) }
        }
        switch entry.definition.kind {
        case .object: writeHolders(entry, to: &schemas)
        case .asymmetric: writeOutboxHolders(entry, to: &schemas)
        case .embedded: break
        }
    }

    // MARK: Objects

    private func writeObject(
        _ entry: OpenAPIClass, _ form: Form, to object: inout JSONObjectWriter
    ) {
        let definition = entry.definition
        object.member("type").string("object")
        object.member("description").string(Self.describe(entry, form))
        object.member("properties").object { properties in
            if form == .reply, entry.declaresID {
                properties.member("$id").raw(
                    ##"{"type":"integer","format":"int64","minimum":0,"description":"The key that the store gave to the object."}"##
                )
            }
            for property in definition.properties where form == .reply || property.isStored {
                let writer = properties.member(named: property.name)
                writer.object { write(property, entry, form, to: &$0, writer) }
            }
        }
        let required = definition.properties.filter {
            $0.isRequired && $0.name != definition.primaryKey
        }
        if form == .input, !required.isEmpty {
            object.member("required").array { array in
                for property in required { array.element().string(property.name) }
            }
        }
        guard definition.kind.standsAlone else {
            object.member("patternProperties").raw(
                ##"{"^\\$omitted$":{"type":"array","items":{"type":"string"}}}"##)
            if form != .reply { object.member("additionalProperties").bool(false) }
            return
        }
        // They are patterns because generators of clients overlook those: as properties, `$id` and a
        // property `id` would get the same name.
        if form == .reply {
            // Distinguishes an object from the reply to a write of several.
            if !entry.looksLikeWritten {
                object.member("not").raw(##"{"required":["objects","version"]}"##)
            }
            object.member("patternProperties").raw(
                ##"{"^\\$version$":{"$ref":"#/components/schemas/HoldfastVersion"},"^\\$omitted$":{"type":"array","items":{"type":"string"}}}"##
            )
        } else {
            object.member("patternProperties").raw(
                ##"{"^\\$id$":{"type":["string","integer","null"]},"^\\$version$":{"$ref":"#/components/schemas/HoldfastVersion"},"^\\$omitted$":{"type":"array","items":{"type":"string"}}}"##
            )
            object.member("additionalProperties").bool(false)
        }
    }

    private static func describe(_ entry: OpenAPIClass, _ form: Form) -> String {
        let name = entry.definition.name
        switch (entry.definition.kind, form) {
        case (.object, .reply):
            return
                "An object of class `\(name)`. `fields` and `expand` say which properties it has."
        case (.object, .input):
            return "A whole object of class `\(name)`: what is left out gets its default."
        case (.object, .patch):
            return "A change of an object of class `\(name)`: what is left out stays."
        case (.asymmetric, .reply): return "What class `\(name)` took in."
        case (.asymmetric, .input), (.asymmetric, .patch):
            return "A new object of class `\(name)`: what is left out gets its default."
        case (.embedded, .reply): return "An embedded object of class `\(name)`."
        case (.embedded, .input):
            return "A whole embedded object of class `\(name)`: what is left out gets its default."
        case (.embedded, .patch):
            return "A change of an embedded object of class `\(name)`: what is left out stays."
        }
    }

    // MARK: Properties

    private func write(
        _ property: Property, _ entry: OpenAPIClass, _ form: Form,
        to object: inout JSONObjectWriter, _ writer: JSONWriter
    ) {
        writeType(of: property, form, to: &object, writer)
        if form == .input, let value = property.constantDefault {
            let member = object.member("default")
            SchemaWriter(member).write(.constant(value), of: property)
        }
        if let text = Self.describe(property, entry) { object.member("description").string(text) }
    }

    /// Writes what holds of the value of a property.
    func writeType(
        of property: Property, _ form: Form, to object: inout JSONObjectWriter,
        _ writer: JSONWriter
    ) {
        switch property.type {
        case .single(let element):
            write(element, property.isOptional, form, to: &object, writer)
            writeCases(of: property, isOptional: property.isOptional, to: &object)
        case .list(let element), .set(let element):
            object.member("type").string("array")
            let items = object.member("items")
            // An element is never changed in its place: collections are replaced.
            let inner = form == .patch ? .input : form
            items.object {
                write(element, property.isOptional, inner, to: &$0, items)
                writeCases(of: property, isOptional: property.isOptional, to: &$0)
            }
            if case .set = property.type, form == .reply { object.member("uniqueItems").bool(true) }
        case .map(let element):
            object.member("type").string("object")
            object.member("propertyNames").raw(##"{"pattern":"^[^.$]*$"}"##)
            let values = object.member("additionalProperties")
            // In a change null takes an entry away.
            values.object {
                write(element, property.isOptional || form == .patch, form, to: &$0, values)
                writeCases(of: property, isOptional: property.isOptional || form == .patch, to: &$0)
            }
        case .linkingObjects(let className, _):
            object.member("type").string("array")
            let items = object.member("items")
            items.object { write(.object(className), false, .reply, to: &$0, items) }
            object.member("readOnly").bool(true)
        }
    }

    /// Writes the values of a persisted enum.
    func writeCases(
        of property: Property, isOptional: Bool, to object: inout JSONObjectWriter
    ) {
        guard let cases = property.cases else { return }
        object.member("enum").array { array in
            for value in cases { SchemaWriter(array.element()).write(value) }
            if isOptional { array.element().null() }
        }
    }

    /// Writes what holds of one value: of a single one, or of an element of a collection.
    func write(
        _ element: ElementType, _ isOptional: Bool, _ form: Form,
        to object: inout JSONObjectWriter, _ writer: JSONWriter
    ) {
        switch element {
        case .scalar(let scalar):
            OpenAPIScalar(scalar).write(isOptional: isOptional, to: &object, writer)
        case .object(let name):
            // A schema that holds has every class that it names.
            guard let target = classes[name] else { return }
            switch target.definition.kind {
            case .object, .asymmetric: writeLink(to: target, isOptional, form, &object)
            case .embedded:
                object.reference(target.name(form), isOptional: isOptional)
            }
        }
    }

    private func writeLink(
        to target: OpenAPIClass, _ isOptional: Bool, _ form: Form, _ object: inout JSONObjectWriter
    ) {
        // Generators of clients make one struct of all members of an `anyOf`, and lose the key.
        object.member("oneOf").array { choices in
            let key = choices.element()
            key.object { writeKey(of: target, to: &$0, key) }
            switch form {
            case .reply: choices.element().schema(target.object)
            case .input, .patch:
                choices.element().schema(target.new)
                choices.element().schema("HoldfastLink")
            }
            if isOptional { choices.element().raw(##"{"type":"null"}"##) }
        }
    }

    /// Writes what holds of a key that names an object of a class and is not null.
    func writeKey(
        of entry: OpenAPIClass, to object: inout JSONObjectWriter, _ writer: JSONWriter
    ) {
        OpenAPIScalar(entry.keyType).write(isOptional: false, to: &object, writer)
        if entry.primaryKey == nil { object.member("minimum").uint(0) }
    }

    private static func describe(_ property: Property, _ entry: OpenAPIClass) -> String? {
        var sentences: [String] = []
        if property.name == entry.definition.primaryKey {
            sentences.append("The primary key: it never changes.")
        }
        if property.scalar == .mixed {
            sentences.append(
                "Any kind of value: null, bools, ints, strings, arrays and objects stand as they are, a "
                    + "number with '.', 'e' or 'E' is a double; others as {\"$decimal\":\"1.10\"}, "
                    + "{\"$float\":1.5}, {\"$data\":\"SG9sZGZhc3Q=\"}, "
                    + "{\"$date\":\"2026-11-20T06:38:58Z\"}, {\"$objectId\":…}, {\"$uuid\":…} or "
                    + "{\"$link\":{\"class\":…,\"id\":…}}.")
        }
        switch property.type {
        case .single, .list, .set, .map: break
        case .linkingObjects(let className, let name):
            sentences.append("The objects of `\(className)` whose `\(name)` links here.")
        }
        switch property.defaultValue {
        case .uuid: sentences.append("A random one when it is left out of a new object.")
        case .objectID: sentences.append("A fresh one when it is left out of a new object.")
        case .now: sentences.append("The time of the write when it is left out of a new object.")
        case .next:
            sentences.append(
                "One more than the greatest so far when it is left out of a new object.")
        case .constant, nil: break
        }
        if let name = property.mapTo { sentences.append("Mapped to `\(name)`.") }
        if property.isIndexed { sentences.append("Indexed.") }
        switch property.searchIndex {
        case .fullText: sentences.append("Its words are indexed, for `TEXT`.")
        case .geo: sentences.append("Indexed by place, for `geoWithin`.")
        case nil: break
        }
        if property.isRequired { sentences.append("Required: new and replaced objects state it.") }
        if property.isUnique { sentences.append("Unique: no two objects have the same value.") }
        for group in entry.definition.uniqueGroups where group.contains(property.name) {
            let others = group.filter { $0 != property.name }.map { "`\($0)`" }
            sentences.append(
                others.isEmpty
                    ? "Unique: no two objects have the same value."
                    : "Unique together with \(others.joined(separator: ", ")).")
        }
        switch property.onDelete {
        case .nullify: break
        case .cascade: sentences.append("When the target is deleted, this object goes with it.")
        case .deny: sentences.append("The target can't be deleted as long as this object is there.")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    // MARK: What holds objects

    private func writeHolders(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        writeNew(entry, to: &schemas)
        writePage(entry, to: &schemas)
        writeSections(entry, to: &schemas)
        writeTold(entry, to: &schemas)
    }

    /// Adds the schemas of a new object whose key has to be stated, and of the reply to several.
    private func writeNew(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        if entry.new != entry.patch, entry.new != entry.input, let key = entry.definition.primaryKey
        {
            schemas.member(named: entry.new).object { object in
                object.member("description").string(
                    "A new object of class `\(entry.definition.name)`"
                        + (entry.isAsymmetric
                            ? "." : ", or a change of the one that its key names."))
                object.member("type").string("object")
                object.member("allOf").array { parts in
                    parts.element().schema(entry.isAsymmetric ? entry.input : entry.patch)
                    // Beside a single part, generators of clients overlook it.
                    parts.element().object { part in
                        part.member("required").array { $0.element().string(key) }
                    }
                }
            }
        }
        schemas.member(named: entry.written).object { object in
            object.member("type").string("object")
            object.member("description").string("The reply to a write of several objects.")
            object.member("required").raw(##"["objects","version"]"##)
            object.member("properties").object { properties in
                properties.member("objects").array(of: entry.object)
                properties.member("version").schema("HoldfastVersion")
            }
        }
    }

    /// Adds the schemas of what holds objects of an asymmetric class.
    private func writeOutboxHolders(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        writeNew(entry, to: &schemas)
        schemas.member(named: entry.page).object { object in
            object.member("type").string("object")
            object.member("description").string("The oldest objects of the outbox.")
            object.member("required").raw(##"["objects","through"]"##)
            object.member("properties").object { properties in
                properties.member("objects").array(of: entry.object)
                properties.member("through").raw(
                    ##"{"type":"string","description":"What acknowledges the objects of the page, and those before them."}"##
                )
            }
        }
    }
}

extension OpenAPIClass {
    /// The name of the schema of its objects in a form.
    func name(_ form: OpenAPISchemas.Form) -> String {
        switch form {
        case .reply: object
        case .input: input
        case .patch: patch
        }
    }
}

extension Property {
    /// Whether objects hold it; inverse links are found, not held.
    var isStored: Bool {
        if case .linkingObjects = type { false } else { true }
    }

    /// A declared default that is the same in every object.
    fileprivate var constantDefault: Value? {
        if case .constant(let value)? = defaultValue { value } else { nil }
    }
}

extension JSONWriter {
    /// Writes the schema of an array whose elements have one of the document's schemas.
    func array(of name: String) {
        object { object in
            object.member("type").string("array")
            object.member("items").schema(name)
        }
    }
}
