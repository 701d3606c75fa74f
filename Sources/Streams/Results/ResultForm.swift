import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastStoreService

/// The form in which a query's result is followed as a whole: it is computed again whenever it may have changed, and compared.
package indirect enum ResultForm: Hashable, Sendable {
    /// The first objects in an order.
    case list(sort: String, limit: Int?)
    /// The first sections, and the first objects of each.
    case sections(by: String?, sort: String?, limit: Int?, objectCount: Int?)
    /// Aggregates of all objects, or of each group of them.
    case aggregate(AggregateText)

    // Names and texts are compared by their bytes.
    package static func == (a: ResultForm, b: ResultForm) -> Bool {
        switch (a, b) {
        case (.list(let sort, let limit), .list(let otherSort, let otherLimit)):
            limit == otherLimit && sort.isSame(as: otherSort)
        case (
            .sections(let by, let sort, let limit, let count),
            .sections(let otherBy, let otherSort, let otherLimit, let otherCount)
        ):
            limit == otherLimit && count == otherCount && by.isSame(as: otherBy)
                && sort.isSame(as: otherSort)
        case (.aggregate(let text), .aggregate(let other)): text == other
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .list(let sort, _): sort.hashBytes(into: &hasher)
        case .sections(let by, _, _, _): by.hashBytes(into: &hasher)
        case .aggregate(let text): hasher.combine(text)
        }
    }

    /// The maximum number of objects that followed sections show.
    private static let sectionObjectCountMax = 10_000
    /// The maximum number of groups of a followed aggregate.
    static let groupCountMax = 1_000

    /// Checks the followed result.
    ///
    /// - `text`: The filter and the selection of properties.
    /// - Throws: ``RequestFault`` `.malformed` with the column or the parameter.
    func checked(
        _ text: QueryText, of container: ObjectContainer, _ names: SchemaNames,
        _ limits: ServiceLimits
    ) throws(RequestFault) -> CheckedResult {
        var text = text
        switch self {
        case .list(let sort, let limit):
            (text.sort, text.limit) = (sort, limit)
            let query = try CheckedQuery(text, of: container, names: names, limits: limits)
            return .list(sort: query.sort, limit: query.limit)
        case .sections(let by, let sort, let limit, let objectCount):
            (text.sort, text.limit) = (sort, limit)
            let query = try CheckedSections(
                text, by: by, objectCount, of: container, names: names, limits: limits)
            let sections = query.sections
            guard sections.sectionCountMax * sections.objectCountMax <= Self.sectionObjectCountMax
            else {
                throw text.fault(
                    "objects",
                    "Followed sections show at most \(Self.sectionObjectCountMax) objects, which is "
                        + "'limit' times 'objects'; make one of them smaller.",
                    code: "limit-out-of-range")
            }
            return .sections(query)
        case .aggregate(let aggregate):
            if aggregate.by != nil {
                text.limit = min(Self.groupCountMax, limits.pageObjectCountMax)
            }
            return .aggregate(
                try CheckedAggregate(
                    text, aggregate, of: container, names: names, limits: limits), text)
        }
    }
}

/// A followed result that was checked against the schema. Indirect, so that a stream of changes does not have the memory for it.
indirect enum CheckedResult: Sendable {
    case list(sort: [SortKey], limit: Int)
    case sections(CheckedSections)
    case aggregate(CheckedAggregate, QueryText)

    /// The paths that are read beyond the filter and the shown properties.
    func dependencies(_ schema: RowSchema) -> [Dependency] {
        let paths: [ValuePath]
        switch self {
        case .list(let sort, _): paths = sort.map(\.path)
        case .sections(let query):
            paths = [query.sections.key.path] + query.sections.sort.map(\.path)
        case .aggregate(let query, _):
            paths = query.by.map(\.path) + query.operations.compactMap(\.kind.path)
        }
        return paths.flatMap { $0.dependencies(schema) }
    }

    var showsObjects: Bool {
        if case .aggregate = self { false } else { true }
    }
}
