import Bytes
import ObjectJSON

/// An aggregate of the objects of a query, or a page of groups of them.
package struct AggregateRequest: PageRequest {
    package let className: String
    /// The objects that are meant, and the page of groups.
    package let text: QueryText
    /// `op`: what is asked.
    package let operations: String?
    /// `by`: what the objects of a group have in common.
    package let by: String?
    package let quotesLargeInts: Bool

    /// Asks for an aggregate.
    package init(
        of className: String, _ text: QueryText, operations: String?, by: String? = nil,
        quotesLargeInts: Bool = false
    ) {
        self.className = className
        self.text = text
        self.operations = operations
        self.by = by
        self.quotesLargeInts = quotesLargeInts
    }

    package func check(_ names: SchemaNames, _ limits: ServiceLimits) throws(RequestFault)
        -> CheckedAggregate
    {
        try CheckedAggregate(
            self, of: names.objectClass(named: className), names: names, limits: limits)
    }

    package func isShort(_ query: CheckedAggregate, in view: PageView) -> Bool {
        page(query, view).isShort
    }

    package func write(
        _ query: CheckedAggregate, from view: PageView, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        try page(query, view).write(to: buffer)
    }

    private func page(_ query: CheckedAggregate, _ view: PageView) -> AggregatePage {
        AggregatePage(
            view: view, query: query, text: text,
            account: view.account(text, of: query.rowClass))
    }
}
