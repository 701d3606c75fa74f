/// The names that other products give to the parameters and members of a query.
package enum ForeignParameter {
    private typealias Entry = (names: String, counterparts: String, use: String)

    /// The names of other products, the names to use instead, of which an operation knows one at most, and the rest of a
    /// sentence that begins with the name to use.
    private static let entries: [Entry] = [
        (
            "where q query search find selector criteria condition filters", "filter",
            "finds objects, such as filter=name == $0&text=…, percent-encoded"
        ),
        ("or and", "filter", "joins conditions: filter=a == 1 OR b == 2, percent-encoded"),
        ("params parameters arguments bindings variables", "args arg", "is the value of $0"),
        ("includedocs", "fields", "is for fewer properties; without it objects come whole"),
        (
            "upsert onconflict", "mode",
            "is for objects that exist: mode=merge changes them, mode=replace replaces them"
        ),
        (
            "select columns attributes keys properties only projection", "fields",
            "lists the properties to show, with commas between them"
        ),
        (
            "sort sortby sorting order orderby ordering", "sort order",
            "orders the result; a minus before a name is for descending order"
        ),
        (
            "include populate with embed relations", "expand",
            "shows linked objects in place of their keys"
        ),
        (
            "page pagenumber pagetoken offset skip start from after startafter marker bookmark "
                + "paginationpage paginationstart", "cursor", "takes the 'next' of the page before"
        ),
        (
            "perpage pagesize size top first max maxresults take limittofirst paginationpagesize "
                + "paginationlimit", "limit", "is the length of a page"
        ),
        ("group groupby", "by", "lists the paths to group by"),
    ]

    /// Finds the known name to use instead of an unknown one, with the rest of a sentence about it; nil without one.
    package static func counterpart(
        of name: String, among known: [String]
    ) -> (name: String, use: String)? {
        // `$orderby`, `order_by`, `page[size]` and `filters[name][$eq]` as well.
        for text in [name[...], name.prefix { $0 != "[" }] {
            let plain = text.lowercased().filter { $0.isLetter }
            for entry in entries where entry.names.split(separator: " ").contains(plain[...]) {
                return entry.counterparts.split(separator: " ").map(String.init)
                    .first { known.contains($0) }.map { ($0, entry.use) }
            }
        }
        return nil
    }
}
