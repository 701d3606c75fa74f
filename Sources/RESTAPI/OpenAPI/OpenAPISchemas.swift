import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

/// Writes the schemas of classes, as in `classes.json`: their objects in replies and in writes, and the containers of objects.
///
/// A name that is no property in every class is a pattern there, because generators of clients ignore patterns: as properties,
/// `$id` and a property `id` would get the same name.
struct OpenAPISchemas {
    /// The purpose that an object's schema serves.
    enum Form {
        /// In a reply: links as keys or expanded, inverse links when they are asked for.
        case reply
        /// A whole object: omitted properties get their defaults.
        case input
        /// A change: omitted properties stay.
        case patch
    }

    let classes: OpenAPIClasses
    let file = OpenAPIFile(PackageResources.classes_json)

    /// Adds every schema that belongs to a class.
    func write(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        let groups: [StaticString] =
            switch entry.definition.kind {
            case .object: ["objectSchemas", "newSchemas", "pageSchemas"]
            case .asymmetric: ["asymmetricSchemas", "newSchemas", "outboxSchemas"]
            case .embedded: ["embeddedSchemas"]
            }
        let template = template(of: entry)
        for group in groups { template.write(group, to: &schemas) }
    }

    // MARK: Properties

    /// Adds the properties of an object in a form.
    private func writeProperties(
        of entry: OpenAPIClass, _ form: Form, to object: inout JSONObjectWriter
    ) {
        if form == .reply, entry.declaresID { writeID(to: &object) }
        for property in entry.definition.properties where form == .reply || property.isStored {
            object.member(named: property.name).object { write(property, entry, form, to: &$0) }
        }
    }

    func writeID(to object: inout JSONObjectWriter) {
        if let key = file.parts["=storeKey"] {
            OpenAPITemplate(file).write(key, to: object.member("$id"))
        }
    }

    private func write(
        _ property: Property, _ entry: OpenAPIClass, _ form: Form, to object: inout JSONObjectWriter
    ) {
        writeType(of: property, form, to: &object)
        if form == .input, let value = property.defaultValue, case .constant = value {
            SchemaWriter(object.member("default")).write(value, of: property)
        }
        if let text = describe(property, entry) { object.member("description").string(text) }
    }

    /// Writes the schema of a property's value.
    func writeType(of property: Property, _ form: Form, to object: inout JSONObjectWriter) {
        switch property.type {
        case .single(let element): writeElement(element, of: property, form, to: &object)
        case .list(let element), .set(let element):
            object.member("type").string("array")
            // An element is never changed in its place: collections are replaced.
            let inner = form == .patch ? .input : form
            object.member("items").object { writeElement(element, of: property, inner, to: &$0) }
            if case .set = property.type, form == .reply { object.member("uniqueItems").bool(true) }
        case .map(let element):
            object.member("type").string("object")
            object.member("propertyNames").raw(##"{"pattern":"^[^.$]*$"}"##)
            // In a change null takes an entry away.
            object.member("additionalProperties").object {
                writeElement(element, of: property, form, orNull: form == .patch, to: &$0)
            }
        case .linkingObjects(let className, _):
            object.member("type").string("array")
            object.member("items").object {
                writeOrigin(className, to: &$0) {
                    write(.object(className), false, .reply, to: &$0)
                }
            }
            object.member("readOnly").bool(true)
        }
    }

    /// Writes the schema of an element of a property, in replies and bodies.
    func writeElement(
        _ element: ElementType, of property: Property, _ form: Form, orNull: Bool = false,
        to object: inout JSONObjectWriter
    ) {
        let isOptional = property.isOptional || orNull
        write(element, isOptional, form, to: &object)
        guard let cases = property.cases else { return }
        object.member("enum").array { array in
            for value in cases { SchemaWriter(array.element()).write(value) }
            if isOptional { array.element().null() }
        }
    }

    /// Writes the schema of an element as a whole body. If the element is a plain string, or may be a number or a
    /// string, the schema says so only in words: for such a choice, generators of TypeScript make code that does not
    /// compile, and clients of Go send a string without its quotes.
    func writeBody(
        _ element: ElementType, of property: Property, to object: inout JSONObjectWriter
    ) {
        let orNull = property.isOptional ? ", or null" : ""
        switch element {
        case .scalar(.double), .scalar(.float):
            object.member("description").string(
                "A number\(orNull); NaN and the infinities are strings.")
        case .scalar(let scalar)
        where property.cases == nil
            && [.string, .data, .objectID, .uuid, .decimal128].contains(scalar):
            object.member("description").string(
                "A string\(orNull), in the form of values of type `\(scalar.name)`.")
        default: writeElement(element, of: property, .input, to: &object)
        }
    }

    /// Writes the schema of an object that an inverse link shows.
    ///
    /// - `writeObject`: Writes the schema of the object by itself; an embedded one has `$owner` beside its properties.
    func writeOrigin(
        _ className: String, to object: inout JSONObjectWriter,
        _ writeObject: (inout JSONObjectWriter) -> Void
    ) {
        guard let origin = classes[className], origin.definition.kind == .embedded else {
            return writeObject(&object)
        }
        object.member("allOf").array { parts in
            parts.element().schema(origin.object)
            parts.element().object { part in
                part.member("type").string("object")
                part.member("properties").object { properties in
                    properties.member("$owner").object { owner in
                        owner.member("description").string(
                            "The object that it belongs to, as a link; beside it what `fields` and `expand` "
                                + "ask for of that object.")
                        owner.member("anyOf").array { choices in
                            choices.element().schema("HoldfastLink")
                            for owner in classes.owners(of: className) {
                                choices.element().schema(owner.object)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes the schema of an element on a page: a link is shown as its target.
    func writeShown(_ element: ElementType, _ isOptional: Bool, to object: inout JSONObjectWriter) {
        if case .object(let name) = element, let target = classes[name] {
            object.reference(target.object, isOptional: isOptional)
        } else {
            write(element, isOptional, .reply, to: &object)
        }
    }

    /// Writes the schema of a value of a plain type.
    private func write(_ type: ScalarType, isOptional: Bool, to object: inout JSONObjectWriter) {
        guard let scalar = file["scalars"]?.member(named: type.name) else { return }
        if let name = scalar.member(named: "shared")?.string {
            return object.reference(name, isOptional: isOptional)
        }
        let template = OpenAPITemplate(file)
        guard isOptional, let schema = scalar.member(named: "schema"),
            let name = schema.member(named: "type")
        else {
            scalar.member(named: "schema").map { template.writeMembers(of: $0, to: &object) }
            return
        }
        object.member("type").array { types in
            template.write(name, to: types.element())
            types.element().string("null")
        }
        for member in schema.members where !member.isNamed("type") {
            let name = String(decoding: member.name, as: UTF8.self)
            template.write(member.value, to: object.member(named: name))
        }
    }

    /// Writes a value of a plain type.
    func writeExample(of type: ScalarType, to writer: JSONWriter) {
        let example = file["scalars"]?.member(named: type.name)?.member(named: "example")
        if let example { OpenAPITemplate(file).write(example, to: writer) }
    }

    /// Writes the schema of one value: of a single one, or of an element of a collection.
    func write(
        _ element: ElementType, _ isOptional: Bool, _ form: Form, to object: inout JSONObjectWriter
    ) {
        switch element {
        case .scalar(let scalar): write(scalar, isOptional: isOptional, to: &object)
        case .object(let name):
            // A schema that holds has every class that it names.
            guard let target = classes[name] else { return }
            switch target.definition.kind {
            case .object, .asymmetric: writeLink(to: target, isOptional, form, &object)
            case .embedded: object.reference(target.name(form), isOptional: isOptional)
            }
        }
    }

    private func writeLink(
        to target: OpenAPIClass, _ isOptional: Bool, _ form: Form, _ object: inout JSONObjectWriter
    ) {
        // Generators of clients make one struct of all members of an `anyOf`, and lose the key.
        object.member("oneOf").array { choices in
            choices.element().object { writeKey(of: target, to: &$0) }
            switch form {
            case .reply: choices.element().schema(target.object)
            case .input, .patch:
                choices.element().schema(target.new)
                choices.element().schema("HoldfastLink")
            }
            if isOptional { choices.element().raw(##"{"type":"null"}"##) }
        }
    }

    /// Writes the schema of a key that names an object of a class and is not null.
    func writeKey(of entry: OpenAPIClass, to object: inout JSONObjectWriter) {
        write(entry.keyType, isOptional: false, to: &object)
        if entry.primaryKey == nil { object.member("minimum").uint(0) }
    }

    private func describe(_ property: Property, _ entry: OpenAPIClass) -> String? {
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
            sentences.append(
                entry.definition.kind == .embedded
                    ? "The object of `\(className)` that holds this one in its `\(name)`, if it does."
                    : classes[className]?.definition.kind == .embedded
                        ? "The embedded objects of `\(className)` whose `\(name)` links here, each with its owner."
                        : "The objects of `\(className)` whose `\(name)` links here.")
        }
        switch property.defaultValue {
        case .uuid: sentences.append("A random one when it is left out of a new object.")
        case .objectID: sentences.append("A fresh one when it is left out of a new object.")
        case .now: sentences.append("The time of the write when it is left out of a new object.")
        case .next:
            sentences.append(
                "One more than the greatest so far when it is left out of a new object.")
        case .user:
            sentences.append("The id of the user who creates an object, when it is left out.")
        case .constant, nil: break
        }
        if let name = property.mapTo { sentences.append("Mapped to `\(name)`.") }
        if property.isIndexed { sentences.append("Indexed.") }
        switch property.searchIndex {
        case .fullText: sentences.append("Its words are indexed, for `TEXT`.")
        case .geo: sentences.append("Indexed by place, for `geoWithin`.")
        case nil: break
        }
        if property.isRequired {
            sentences.append(
                property.defaultValue == .user
                    ? "Required: without a user, new objects state it."
                    : "Required: new and replaced objects state it.")
        }
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

    // MARK: Containers of objects

    /// The part of `classes.json` for a class, with the names of its schemas.
    func template(of entry: OpenAPIClass) -> OpenAPITemplate {
        var template = OpenAPITemplate(file)
        let statesKey = entry.new != entry.patch && entry.new != entry.input
        let required = entry.definition.properties.filter {
            $0.isRequired && $0.name != entry.definition.primaryKey && $0.defaultValue != .user
        }
        template.names = [
            "class": entry.definition.name, "path": entry.path, "noun": entry.noun,
            "object": entry.object, "title": entry.clientName == nil ? "" : "title",
            "clientName": entry.clientName ?? "", "input": entry.input, "patch": entry.patch,
            "new": entry.new,
            "page": entry.page, "written": entry.written, "sectionPage": entry.sectionPage,
            "changePage": entry.changePage, "snapshotPage": entry.snapshotPage,
            "choice": entry.looksLikeWritten ? "anyOf" : "oneOf",
            // Distinguishes an object from the reply to a write of several.
            "not": entry.looksLikeWritten ? "" : "not",
            "required": required.isEmpty ? "" : "required", "statedNew": statesKey ? entry.new : "",
            "newBase": entry.isAsymmetric ? entry.input : entry.patch,
            "newEnd": entry.isAsymmetric ? "." : ", or a change of the one that its key names.",
            "primaryKey": entry.definition.primaryKey ?? "",
        ]
        for (name, form) in [("=reply", Form.reply), ("=input", .input), ("=patch", .patch)] {
            template.values[name] = { $0.object { writeProperties(of: entry, form, to: &$0) } }
        }
        template.values["=required"] = { $0.strings(required.map(\.name)) }
        template.values["=optionalKey"] = { writer in
            let isOptional = entry.primaryKey?.isOptional ?? false
            writer.object { write(entry.keyType, isOptional: isOptional, to: &$0) }
        }
        return template
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
}
