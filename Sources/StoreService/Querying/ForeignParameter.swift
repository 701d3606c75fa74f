/// The names that other products give to the parameters and members of a query.
package enum ForeignParameter {
    /// Names of other products without signs, in lower case.
    private struct Entry {
        let names: Set<String>
        /// The names to use instead; an operation knows one of them at most.
        let counterparts: [String]
        /// The rest of a sentence that begins with the name to use.
        let use: String
    }

    private static let entries = [
        Entry(
            names: ["where", "q", "query", "search", "find", "selector", "criteria", "condition"],
            counterparts: ["filter"],
            use: "finds objects, such as filter=name == $0&text=…, percent-encoded"),
        Entry(
            names: ["select", "columns", "attributes", "keys", "properties", "only"],
            counterparts: ["fields"],
            use: "lists the properties to show, with commas between them"),
        Entry(
            names: ["sort", "sortby", "sorting", "order", "orderby", "ordering"],
            counterparts: ["sort", "order"],
            use: "orders the result; a minus before a name is for descending order"),
        Entry(
            names: ["include", "populate", "with", "embed", "relations"], counterparts: ["expand"],
            use: "shows linked objects in place of their keys"),
        Entry(
            names: [
                "page", "pagenumber", "pagetoken", "offset", "skip", "start", "from", "after",
                "startafter", "marker", "bookmark",
            ], counterparts: ["cursor"], use: "takes the 'next' of the page before"),
        Entry(
            names: ["perpage", "pagesize", "size", "top", "first", "max", "maxresults", "take"],
            counterparts: ["limit"], use: "is the length of a page"),
        Entry(
            names: ["group", "groupby"], counterparts: ["by"], use: "lists the paths to group by"),
    ]

    /// Finds the known name to use instead of an unknown one, with the rest of a sentence about it; nil without one.
    package static func counterpart(
        of name: String, among known: [String]
    ) -> (name: String, use: String)? {
        // `$orderby`, `order_by` and `page[size]` as well.
        let plain = name.lowercased().filter { $0.isLetter }
        for entry in entries where entry.names.contains(plain) {
            return entry.counterparts.first { known.contains($0) }.map { ($0, entry.use) }
        }
        return nil
    }
}
