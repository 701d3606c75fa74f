import JSON
import ObjectJSON
import StoreService

/// Writes what belongs to no class: shared schemas, parameters, headers and the replies to what can't be
/// done. What is the same in every store stands in `components.json`, which is built into the program.
///
/// There, a JSON patch is an array in two parts, because openapi-python-client would make a `list[…]` of a plain array,
/// and ask of every body whether it is one, which Python refuses for merge patches too.
struct OpenAPIComponents {
    /// Objects of a page at most.
    let pageObjectCountMax: Int
    /// Objects of a page when the request does not say.
    let pageObjectCountDefault: Int

    /// The names of the shared schemas.
    static let schemaNames: [String] =
        withText { text in
            text.member(named: "schemas")?.members.map { String(decoding: $0.name, as: UTF8.self) }
        } ?? []

    /// Adds the shared schemas.
    func writeSchemas(to object: inout JSONObjectWriter) {
        Self.write("schemas", to: &object)
    }

    /// Adds the shared parameters.
    func writeParameters(to object: inout JSONObjectWriter) {
        Self.write("parameters", to: &object)
        func add(
            _ component: StaticString, _ name: String, _ description: String, minimum: UInt64,
            default value: Int
        ) {
            object.member(component).object { limit in
                limit.member("name").string(name)
                limit.member("in").string("query")
                limit.member("description").string(description)
                limit.member("schema").object { schema in
                    schema.member("type").string("integer")
                    schema.member("minimum").uint(minimum)
                    schema.member("maximum").int(Int64(pageObjectCountMax))
                    schema.member("default").int(Int64(value))
                }
            }
        }
        add(
            "Limit", "limit", "How many objects a page has at most.", minimum: 1,
            default: pageObjectCountDefault)
        add(
            "SectionLimit", "limit", "How many sections a page has at most.", minimum: 1,
            default: pageObjectCountDefault)
        add(
            "SectionObjects", "objects", "How many objects of each section are shown at most.",
            minimum: 0, default: min(CheckedSections.objectCountDefault, pageObjectCountMax))
    }

    /// Adds the shared headers.
    func writeHeaders(to object: inout JSONObjectWriter) {
        Self.write("headers", to: &object)
    }

    /// Adds the replies to what can't be done.
    func writeResponses(to object: inout JSONObjectWriter) {
        for problem in OpenAPIProblem.allCases {
            object.member(named: problem.name).object { response in
                response.member("description").text(problem.summary)
                response.member("content").raw(
                    ##"{"application/problem+json":{"schema":{"$ref":"#/components/schemas/HoldfastProblem"}}}"##
                )
            }
        }
    }

    /// Adds the members of a group of `components.json`.
    private static func write(_ group: StaticString, to object: inout JSONObjectWriter) {
        withText { text in
            if let group = text.member(named: group) { object.members(of: group) }
        }
    }

    /// Reads `components.json`, which is part of the program and is JSON: a test shows it.
    @discardableResult
    private static func withText<Result>(_ body: (JSONValue) -> Result?) -> Result? {
        PackageResources.components_json.withUnsafeBytes { bytes in
            let parser = JSONParser()
            return (try? parser.parse(bytes)).flatMap(body)
        }
    }
}
