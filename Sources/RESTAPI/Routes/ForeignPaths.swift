import HoldfastHTTPServer
import HoldfastText

/// The paths of other products, and paths that leave a part out, with the paths to use instead.
enum ForeignPaths {
    private struct Entry {
        /// Paths with blanks between them. A segment is a word, several words with `|` between them, `{key}` for a segment with a
        /// digit, or another name in braces for any segment.
        let patterns: String
        /// The path to use instead.
        let path: String
        /// The methods of requests that it is for; nil for all.
        let methods: Set<Method>?
        /// A sentence behind the path, or the next step if no path can be used as it is. It may have the pattern's names.
        let text: String

        init(
            _ patterns: String, _ path: String = "", of methods: Set<Method>? = nil,
            text: String = ""
        ) {
            self.patterns = patterns
            self.path = path
            self.methods = methods
            self.text = text
        }
    }

    private static let objects = "/v1/classes/{class}/objects"
    private static let schema = "/v1/schema/classes/{class}"

    /// The first match counts.
    private static let entries = [
        Entry(
            "_utils|_|admin|dashboard|studio",
            text: "a service has its console at /console/, unless it was started without one."),
        Entry("docs|swagger|swagger-ui|api-docs|redoc v1/docs api/docs", "/docs/"),
        Entry(
            "swagger.json|openapi.yaml v1/swagger.json|openapi v3/api-docs", "/v1/openapi.json"),
        Entry("graphql v1/graphql graphql/v1", text: "GraphQL is not supported. " + query),
        Entry("action/find|findone", text: query),
        Entry("rest/v1/rpc/{name} functions/v1/{name}", text: "functions are not supported."),
        Entry(
            "login|signin|_session v1/login|signin|accounts:signinwithpassword auth/login|signin"
                + " api/login parse/login auth/v1/token api/auth/local"
                + " api/collections/{class}/auth-with-password",
            "/v1/sessions"),
        Entry(
            "logout v1/logout auth/logout auth/v1/logout parse/logout",
            text: "DELETE /v1/sessions/current signs out."),
        Entry("whoami v1/whoami v1/users/me api/users/me parse/users/me auth/v1/user", me),
        Entry("v1/sessions", me, of: [.get]),
        Entry(
            "signup|register {name}/signup|register v1/accounts:signup auth/v1/signup",
            accounts),
        Entry("users v1/users parse/users", accounts, of: [.post]),
        Entry("batch|$batch v1/batch parse/batch api/batch", "/v1/transactions"),
        Entry("healthz|livez|readyz|ping|status api/health|status", "/health/ready"),
        Entry("v1/metadata", "/v1/schema"),
        Entry("_all_dbs v1/collections api/collections", "/v1/classes"),
        Entry("api/realtime", text: "GET /v1/classes/{class}/changes follows a class."),
        Entry("v1/classes v1/schema", of: [.post, .put], text: "PUT \(schema) makes a class."),
        Entry(
            "v1/schema/classes/{class}/properties/{property}", schema,
            text: "PATCH changes the properties of the class, and removes the ones that are null."),
        Entry("v1/classes/{class}", schema, of: [.put, .delete]),
        Entry("v1/classes/{class}/schema", schema),
        Entry(
            "v1/classes/{class}/subscribe|stream|listen|watch|live|events {class}/_changes",
            "/v1/classes/{class}/changes"),
        Entry("v1/classes/{class}/count", "/v1/classes/{class}/aggregate?op=count"),
        Entry(
            "v1/classes/{class}/search|find", objects,
            text: "A filter finds words or parts of a text: name TEXT 'x' or name CONTAINS 'x'."),
        Entry("{class}/_find|_search", "/v1/classes/{class}/query"),
        Entry("{class}/_bulk_docs", objects, text: "POST takes an array of objects."),
        Entry(
            "v1/classes/{class}/objects", of: [.put],
            text: "PUT \(objects)/{id} makes or replaces one object, and POST makes new ones."),
        Entry(
            "v1/classes/{class}/objects/{id} v1/schema/classes/{class}", of: [.post],
            text: "PUT makes or replaces it, and PATCH changes it."),
        Entry(
            "v1/classes/{class}/objects/{id}/{property}", objects + "/{key}/properties/{property}"),
        Entry(
            "rest/v1/{class} parse/classes/{class} api/collections/{class}/records items/{class}"
                + " collections/{class} v1/collections/{class} {class}/_all_docs",
            objects),
        Entry(
            "parse/classes/{class}/{id} api/collections/{class}/records/{id} items/{class}/{id}"
                + " classes/{class}/{key} v1/classes/{class}/{key}",
            objects + "/{key}"),
    ]
    private static let accounts = "/v1/accounts"
    private static let me = "/v1/me"
    private static let query = "POST /v1/classes/{class}/query answers queries."

    /// The next step after a request for a path of another product; nil for other paths. Cost: the words of all entries.
    static func nextStep(_ method: Method, _ segments: ArraySlice<String>) -> NextStep? {
        for entry in entries where entry.methods?.contains(method) ?? true {
            for pattern in entry.patterns.split(separator: " ") {
                guard let values = values(of: segments, in: pattern) else { continue }
                let text = values.reduce(entry.text) {
                    $0.replacing($1.key, with: ObjectPath.segment($1.value))
                }
                if entry.path.isEmpty { return NextStep(text) }
                var step = NextStep.instead([path(entry.path, values)])
                if !text.isEmpty { step.text += " " + text }
                return step
            }
        }
        return nil
    }

    /// The next step after a path with only the name of a class, or with the key of an object behind it; nil for other paths.
    /// Only a caller who may read the class learns if it exists.
    static func nextStep(_ method: Method, ofClass segments: ArraySlice<String>) -> NextStep? {
        var words = segments.drop { $0 == "v1" || $0 == "api" }
        if let last = words.last, last.hasSuffix(".json") {
            words[words.endIndex - 1] = String(last.dropLast(5))
        }
        for pattern in ["{class}", "{class}/{key}"] {
            guard let values = values(of: words, in: pattern[...]),
                let name = values["{class}"], name.first?.isLetter ?? false,
                name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
            else { continue }
            if method == .put, values["{key}"] == nil {
                return NextStep("PUT \(path(schema, values)) makes or replaces a class.")
            }
            let (subject, path) =
                values["{key}"] == nil
                ? ("its objects are", path(objects, values))
                : ("the object is", path(objects + "/{key}", values))
            return NextStep(
                "if '\(name)' is a class, \(subject) at \(path). "
                    + "'GET /' lists the paths to start with.")
        }
        return nil
    }

    /// The segments that take the places of a pattern's names; nil if the pattern does not match.
    private static func values(
        of segments: ArraySlice<String>, in pattern: Substring
    ) -> [Substring: String]? {
        let parts = pattern.split(separator: "/")
        guard parts.count == segments.count else { return nil }
        var values: [Substring: String] = [:]
        for (part, segment) in zip(parts, segments) {
            let isMatch =
                switch part {
                case "{key}": segment.utf8.contains { (0x30...0x39).contains($0) }
                case "{property}": NearestName.of(segment, among: ["changes", "properties"]) == nil
                case _ where part.hasPrefix("{"): !segment.isEmpty
                default: part.split(separator: "|").contains { $0 == segment.lowercased() }
                }
            guard isMatch else { return nil }
            if part.hasPrefix("{") { values[part == "{id}" ? "{key}" : part] = segment }
        }
        return values
    }

    private static func path(_ pattern: String, _ values: [Substring: String]) -> String {
        if values.isEmpty { return pattern }
        return pattern.split(separator: "/").map { part in
            "/" + (values[part].map(ObjectPath.segment) ?? String(part))
        }.joined()
    }
}

extension NextStep {
    /// The question whether one of some paths was meant.
    static func instead(_ paths: [String]) -> NextStep {
        NextStep("did you mean \(paths.joined(separator: " or "))?", path: paths.first)
    }

    /// Returns the next step after a request that no route takes; nil without one.
    ///
    /// - `isKnown`: Whether the path has operations with other methods.
    package static func after(
        _ method: Method, _ segments: [String], isKnown: Bool
    ) -> NextStep? {
        guard NearestPaths.areCompared(segments) else { return nil }
        let words = segments.last?.isEmpty ?? false ? segments.dropLast() : segments[...]
        if let step = ForeignPaths.nextStep(method, words) { return step }
        guard !isKnown else { return nil }
        let (paths, isMisspelt) = NearestPaths.of(segments)
        if !isMisspelt, let step = ForeignPaths.nextStep(method, ofClass: words) { return step }
        return paths.isEmpty ? nil : .instead(paths)
    }
}
