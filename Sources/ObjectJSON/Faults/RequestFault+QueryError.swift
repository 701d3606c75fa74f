import HoldfastQuery

extension RequestFault {
    /// The fault of a query, sort list or path that was refused.
    ///
    /// - `parameter`: The query parameter that holds the text, or nil for a member of a body.
    /// - `pointer`: The position of the text in a body.
    package init(_ error: QueryError, parameter: String?, pointer: String? = nil) {
        var name = parameter
        var location = pointer
        if let index = error.argumentIndex {
            if parameter != nil { name = "arg" } else { location = "/args/\(index)" }
        }
        self.init(
            .malformed, "invalid-query", "Column \(error.column): \(error.message)",
            errors: [
                Entry(
                    code: "query-\(error.kind.rawValue)", detail: error.message, pointer: location,
                    parameter: name, column: error.column, hint: error.hint)
            ])
    }
}
