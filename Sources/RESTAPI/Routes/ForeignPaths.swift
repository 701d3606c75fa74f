import HoldfastHTTPServer

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
        /// The next step if no path can be used as it is.
        let text: String?

        init(
            _ patterns: String, _ path: String = "", of methods: Set<Method>? = nil,
            text: String? = nil
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
            "docs|swagger|swagger.json|swagger-ui|api-docs|redoc|openapi.yaml|_utils|_|admin|dashboard"
                + " v1/docs|swagger.json|openapi api/docs v3/api-docs",
            "/v1/openapi.json"),
        Entry("graphql v1/graphql graphql/v1", text: "GraphQL is not supported. " + query),
        Entry(
            "login|signin|_session v1/login|signin auth/login|signin api/login parse/login"
                + " auth/v1/token api/collections/{class}/auth-with-password",
            "/v1/sessions"),
        Entry("signup|register v1/signup|register auth/signup|register auth/v1/signup", accounts),
        Entry("users v1/users parse/users", accounts, of: [.post]),
        Entry("batch|$batch v1/batch parse/batch api/batch", "/v1/transactions"),
        Entry("v1/classes", of: [.post, .put], text: "PUT \(schema) makes a class."),
        Entry("v1/classes/{class}", schema, of: [.put, .delete]),
        Entry("v1/classes/{class}/schema", schema),
        Entry(
            "v1/classes/{class}/subscribe|stream|listen|watch|live|events {class}/_changes",
            "/v1/classes/{class}/changes"),
        Entry("{class}/_find|_search", "/v1/classes/{class}/query"),
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
    private static let query = "POST /v1/classes/{class}/query answers queries."

    /// The next step after a request for a path of another product; nil for other paths. Cost: the words of all entries.
    static func nextStep(_ method: Method, _ segments: ArraySlice<String>) -> NextStep? {
        for entry in entries where entry.methods?.contains(method) ?? true {
            for pattern in entry.patterns.split(separator: " ") {
                guard let values = values(of: segments, in: pattern) else { continue }
                if let text = entry.text { return NextStep(text) }
                return .instead([path(entry.path, values)])
            }
        }
        return nil
    }

    /// The next step after a path with only the name of a class, or with the key of an object behind it; nil for other paths.
    /// Only a caller who may read the class learns if it exists.
    static func nextStep(maybeOfClass segments: ArraySlice<String>) -> NextStep? {
        let words = segments.first == "v1" ? segments.dropFirst() : segments
        for pattern in ["{class}", "{class}/{key}"] {
            guard let values = values(of: words, in: pattern[...]),
                let name = values["{class}"], name.first?.isLetter ?? false,
                name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
            else { continue }
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
                case _ where part.hasPrefix("{"): !segment.isEmpty
                default: part.split(separator: "|").contains { $0 == segment.lowercased() }
                }
            guard isMatch else { return nil }
            values[part == "{id}" ? "{key}" : part] = segment
        }
        return values
    }

    private static func path(_ pattern: String, _ values: [Substring: String]) -> String {
        pattern.split(separator: "/").map { part in
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
        if !isMisspelt, let step = ForeignPaths.nextStep(maybeOfClass: words) { return step }
        return paths.isEmpty ? nil : .instead(paths)
    }
}
