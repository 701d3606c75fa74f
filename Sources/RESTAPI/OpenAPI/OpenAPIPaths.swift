import JSON
import ObjectModel
import StoreService

/// Writes the operations on the objects of classes, under paths that name the class. Not thread-safe: it
/// remembers the ids that it gave.
final class OpenAPIPaths {
    let schemas: OpenAPISchemas
    let examples: OpenAPIExamples
    /// The ids that were given to operations.
    private var ids = OpenAPINames()

    /// Whether requests need a token.
    private let usesTokens: Bool

    /// Makes a writer for the operations on some classes.
    init(_ classes: OpenAPIClasses, usesTokens: Bool) {
        self.usesTokens = usesTokens
        schemas = OpenAPISchemas(classes: classes)
        examples = OpenAPIExamples(classes: classes)
    }

    /// Adds the operations on a class.
    func write(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        switch entry.definition.kind {
        case .object: writeObjects(entry, to: &paths)
        case .asymmetric: writeAsymmetric(entry, to: &paths)
        case .embedded: break
        }
    }

    private func writeObjects(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        paths.member(named: entry.path + "/objects").object { item in
            add(.list, entry, to: &item) { Self.addPage(entry, hasCSV: true, to: &$0) }
            add(.create, entry, to: &item, body: { Self.writeNewBody(entry, $0) }) {
                Self.addCreated(entry, to: &$0)
            }
            add(.patchAll, entry, to: &item, body: { Self.writePatchBody(entry, $0) }) {
                Self.addAffected(to: &$0, "Idempotency-Replayed")
            }
            add(.deleteAll, entry, to: &item) { Self.addAffected(to: &$0) }
        }
        paths.member(named: entry.path + "/query").object { item in
            add(.query, entry, to: &item, body: { $0.raw(Self.queryBody) }) {
                Self.addPage(entry, hasCSV: false, to: &$0)
            }
        }
        paths.member(named: entry.path + "/aggregate").object { item in
            add(.aggregate, entry, to: &item) { responses in
                responses.reply("200", "The results.", ["Link"]) {
                    $0.content("HoldfastAggregate", example: nil)
                }
            }
        }
        paths.member(named: entry.path + "/sections").object { item in
            add(.sections, entry, to: &item) { responses in
                responses.reply("200", "A page of sections.", ["Link"]) {
                    $0.content(entry.sectionPage, example: nil)
                }
            }
        }
        paths.member(named: entry.path + "/objects/{id}").object { item in
            addParameters(entry, property: nil, to: &item)
            addObject(entry, to: &item) { $0 }
        }
        if entry.hasKeysWithoutPath {
            paths.member(named: entry.path + "/object").object { item in
                item.member("parameters").raw(Self.keyParameter)
                addObject(entry, to: &item) { $0.byKey }
            }
        }
        writeProperties(entry, to: &paths)
        writeTransfer(entry, to: &paths)
        writeChanges(entry, to: &paths)
    }

    private static let queryBody: StaticString =
        ##"{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/HoldfastQuery"},"examples":{"first":{"summary":"The first ten, and how many there are","value":{"limit":10,"count":"exact"}}}}}}"##

    static let keyParameter: StaticString =
        ##"[{"name":"key","in":"query","required":true,"description":"The primary key as a JSON value, for keys that no path can carry.","schema":{"type":"string","minLength":1},"example":"null"}]"##

    // MARK: One operation

    /// Adds an operation to the item of its path. Its id is made of the verb and the `noun`, the class's
    /// own unless it is given; `body` writes the request's body, `replies` the replies to what was done.
    func add(
        _ operation: OpenAPIOperation, _ entry: OpenAPIClass, noun: String? = nil,
        to item: inout JSONObjectWriter, body: ((JSONWriter) -> Void)? = nil,
        replies: (inout JSONObjectWriter) -> Void
    ) {
        add(
            operation, noun: noun ?? entry.noun, tag: entry.definition.name, to: &item, body: body,
            replies: replies)
    }

    /// Adds an operation as above, under a tag.
    func add(
        _ operation: OpenAPIOperation, noun: String, tag: String, to item: inout JSONObjectWriter,
        body: ((JSONWriter) -> Void)?, replies: (inout JSONObjectWriter) -> Void
    ) {
        let id = ids.unique(operation.verb + noun + operation.ending)
        item.member(named: operation.method).object { object in
            object.member("operationId").string(id)
            object.member("tags").array { $0.element().string(tag) }
            object.member("summary").text(operation.summary)
            // Not said once for all of them, because generators of clients look for it here.
            if usesTokens { object.member("security").raw(##"[{"bearerToken":[]}]"##) }
            object.member("parameters").array { parameters in
                for name in operation.parameters {
                    parameters.element().object {
                        $0.member("$ref").string("#/components/parameters/\(name)")
                    }
                }
            }
            if let body { body(object.member("requestBody")) }
            object.member("responses").object { responses in
                replies(&responses)
                for problem in operation.problems {
                    responses.member(named: "\(problem.rawValue)").object {
                        $0.member("$ref").string("#/components/responses/\(problem.name)")
                    }
                }
            }
        }
    }

    // MARK: One object

    /// Adds the operations on one object.
    private func addObject(
        _ entry: OpenAPIClass, to item: inout JSONObjectWriter,
        _ variant: (OpenAPIOperation) -> OpenAPIOperation
    ) {
        add(variant(.get), entry, to: &item) {
            Self.addStored("The object.", entry, to: &$0)
            Self.addNotModified(to: &$0)
        }
        add(variant(.put), entry, to: &item) {
            $0.requiredBody {
                $0.content(entry.input, example: entry.object)
            }
        } replies: {
            Self.addWritten(entry, to: &$0)
        }
        add(variant(.patch), entry, to: &item, body: { Self.writePatchBody(entry, $0) }) {
            Self.addWritten(entry, to: &$0, "Idempotency-Replayed")
        }
        add(variant(.delete), entry, to: &item) { responses in
            responses.reply("204", "The object is gone.", ["Holdfast-Version"])
        }
    }

    private static func writePatchBody(_ entry: OpenAPIClass, _ writer: JSONWriter) {
        writer.requiredBody {
            $0.object { content in
                content.add(
                    example: entry.patch,
                    types: ["application/merge-patch+json", "application/json"]
                ) { $0.reference(entry.patch, isOptional: false) }
                content.add(example: nil, types: ["application/json-patch+json"]) {
                    $0.reference("HoldfastJSONPatch", isOptional: false)
                }
            }
        }
    }

    /// Adds the replies to a write of one object, with header fields of its own.
    static func addWritten(
        _ entry: OpenAPIClass, to responses: inout JSONObjectWriter, _ more: StaticString...
    ) {
        addStored("The object as it is stored now.", entry, to: &responses, more)
        responses.reply(
            "201", "The object is new; as it is stored.",
            ["ETag", "Location", "Holdfast-Version"] + more
        ) {
            $0.content(entry.object, example: entry.object)
        }
        addMinimal(to: &responses, more)
    }

    /// Adds the replies to a change that makes nothing new.
    static func addChanged(_ entry: OpenAPIClass, to responses: inout JSONObjectWriter) {
        addStored("The object as it is stored now.", entry, to: &responses)
        addMinimal(to: &responses, [])
    }

    /// Adds the reply that is one object, with header fields of its own.
    static func addStored(
        _ description: String, _ entry: OpenAPIClass, to responses: inout JSONObjectWriter,
        _ more: [StaticString] = []
    ) {
        responses.reply("200", description, ["ETag", "Holdfast-Version"] + more) {
            $0.content(entry.object, example: entry.object)
        }
    }

    /// Adds the reply that is a bare value, `{"value":…}`, whose schema `value` writes; with header fields
    /// of its own.
    static func addHeld(
        _ description: String, to responses: inout JSONObjectWriter, _ more: [StaticString] = [],
        _ value: (JSONWriter) -> Void
    ) {
        responses.reply("200", description, ["ETag", "Holdfast-Version"] + more) {
            $0.content(example: nil) { schema in
                schema.member("type").string("object")
                schema.member("required").raw(##"["value"]"##)
                schema.member("properties").object { value($0.member("value")) }
            }
        }
    }

    static func addMinimal(to responses: inout JSONObjectWriter, _ more: [StaticString]) {
        responses.reply(
            "204", "Written; `return=minimal` asked to leave the object out.",
            ["ETag", "Location", "Holdfast-Version"] + more)
    }

    /// Adds the reply to a reader that has what it asks for.
    static func addNotModified(to responses: inout JSONObjectWriter) {
        responses.reply("304", "It is as the client has it.", ["ETag", "Holdfast-Version"])
    }

    // MARK: Several objects

    /// Adds the reply that is a page of a list, in each of its forms.
    static func addPage(
        _ entry: OpenAPIClass, hasCSV: Bool, to responses: inout JSONObjectWriter
    ) {
        responses.reply("200", "A page of objects.", ["Link"]) {
            $0.object { content in
                content.add(example: entry.page, types: [ListForm.json.name]) {
                    $0.reference(entry.page, isOptional: false)
                }
                content.add(example: nil, types: [ListForm.geoJSON.name]) {
                    $0.reference("HoldfastFeatures", isOptional: false)
                }
                if hasCSV {
                    content.add(example: nil, types: [ListForm.csv.name]) {
                        $0.member("type").string("string")
                    }
                }
            }
        }
    }

    static func writeNewBody(_ entry: OpenAPIClass, _ writer: JSONWriter) {
        writer.requiredBody {
            $0.content(example: entry.object) { schema in
                // Generators of TypeScript import a class twice for a `oneOf` of it and an array of it.
                schema.member("anyOf").array { choices in
                    choices.element().schema(entry.new)
                    choices.element().array(of: entry.new)
                }
            }
        }
    }

    /// Adds the choice between the reply to an array and the reply to one object.
    static func addWrittenOrObject(_ entry: OpenAPIClass, to schema: inout JSONObjectWriter) {
        let keyword: StaticString = entry.looksLikeWritten ? "anyOf" : "oneOf"
        schema.member(keyword).array { choices in
            choices.element().schema(entry.written)
            choices.element().schema(entry.object)
        }
    }

    private static func addCreated(_ entry: OpenAPIClass, to responses: inout JSONObjectWriter) {
        func add(_ name: StaticString, _ description: String) {
            responses.reply(
                name, description, ["ETag", "Location", "Holdfast-Version", "Idempotency-Replayed"]
            ) {
                $0.content(example: entry.object) { schema in
                    addWrittenOrObject(entry, to: &schema)
                }
            }
        }
        add("200", "Written, and nothing is new: `mode` met objects that were there.")
        add("201", "Created: of one object the reply is the object, of an array `objects`.")
        addMinimal(to: &responses, ["Idempotency-Replayed"])
    }

    /// Adds the reply to a change by filter, with header fields of its own.
    static func addAffected(to responses: inout JSONObjectWriter, _ more: StaticString...) {
        responses.reply(
            "200", "How many objects matched, and were changed or deleted.",
            ["Holdfast-Version"] + more
        ) {
            $0.content("HoldfastAffected", example: nil)
        }
    }
}
