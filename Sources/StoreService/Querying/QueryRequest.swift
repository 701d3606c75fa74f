import Bytes
import ObjectJSON
import ObjectStore

/// A page of the objects of a query.
package struct QueryRequest: PageRequest {
    /// Whose objects are meant, by name.
    package enum Subject: Sendable {
        /// Those of a class.
        case objects(className: String)
        /// Those of a projection's class, as it shows them.
        case projection(String)
    }

    package let subject: Subject
    package let text: QueryText
    /// What the reply may be; the first that the objects fit into is taken.
    package let forms: [ListForm]
    package let quotesLargeInts: Bool

    /// Asks for a page.
    package init(
        _ subject: Subject, _ text: QueryText, forms: [ListForm] = [.json],
        quotesLargeInts: Bool = false
    ) {
        self.subject = subject
        self.text = text
        self.forms = forms
        self.quotesLargeInts = quotesLargeInts
    }

    package func check(_ names: SchemaNames, _ limits: ServiceLimits) throws(RequestFault)
        -> CheckedQuery
    {
        switch subject {
        case .objects(let name):
            return try CheckedQuery(
                text, of: names.objectClass(named: name), names: names, limits: limits, forms: forms
            )
        case .projection(let name):
            let projection = try names.projection(named: name)
            return try CheckedQuery(
                text, of: projection.rowClass, projection: projection, names: names,
                limits: limits, forms: forms)
        }
    }

    /// Objects of a page up to which a query that reads nothing else is short.
    private static let shortCountMax = 100

    package func isShort(_ query: CheckedQuery, in view: PageView) -> Bool {
        query.limit <= Self.shortCountMax && !query.selection.holdsOtherObjects
            && !query.form.isGeoJSON && !text.counts && query.distinct.isEmpty
            && query.stages == nil
            && ObjectQuery(
                classIndex: query.rowClass.index, predicate: query.predicate, sort: query.sort
            ).isBounded(in: view.read)
    }

    package func write(
        _ query: CheckedQuery, from view: PageView, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        try QueryPage(view: view, query: query, text: text).write(to: buffer)
    }
}
