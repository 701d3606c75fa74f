import HoldfastObjectJSON
import HoldfastObjectStore

/// The schema and the view under which a query of a stream of several was found to be none, or too much: under others it
/// is tried again.
package struct QueryEnd: Equatable, Sendable {
    private let schema: ObjectIdentifier
    /// Names the view; empty where that shows everything.
    let viewMark: String
    /// Whether it is tried again by itself: not what was too much, for which a schema that its user does not know counts for
    /// nothing.
    var isTriedAgain = true

    /// The schema and the view that a read shows.
    init(_ read: ReadTransaction) {
        schema = read.rows.identity
        viewMark = read.sight?.mark ?? ""
    }

    /// Those that a query was checked for.
    init(_ query: CheckedStream) {
        schema = query.names.schema.identity
        viewMark = query.viewMark
    }
}

extension RequestFault {
    /// Whether the query that a stream follows is at fault, so that others of the stream can go on: not the storage, nor the
    /// service.
    var isOfFollowedQuery: Bool { kind.isOfRequest || isQueryLimit }
}
