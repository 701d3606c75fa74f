import HoldfastObjectStore

/// An observer of sections, or of one of them.
final class SectionsObservation<Key: RealmCollectionValue, Element: RealmCollectionValue>:
    Observation, @unchecked Sendable
{
    /// What sections' observer is told, and the divisions before and after.
    typealias Update = (
        difference: SectionDifference, from: SectionDivision<Key>, to: SectionDivision<Key>
    )

    private let core: SectionsCore<Key, Element>
    private let followed: any FollowedCollection<ListDifference>
    /// Whether a key may change although nothing does that is observed.
    private let hasKeyPaths: Bool
    private let block: (Update?) -> Void
    /// The sections that were told last; nil before the first time.
    private var told: SectionDivision<Key>?
    /// The sections of the realm's version, where they differ from those, and how the results came there.
    private var pending: (division: SectionDivision<Key>, difference: ListDifference)?

    /// - `block`: Is told nil when the sections were first found.
    init(
        _ core: SectionsCore<Key, Element>, _ keyPaths: [String]?,
        _ block: @escaping (Update?) -> Void
    ) {
        let observed = core.results._observed(keyPaths)
        self.core = core
        followed = observed.followed
        hasKeyPaths = keyPaths != nil
        self.block = block
        super.init(in: observed.realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) {
        guard told != nil, let next = try next(step) else { return }
        pending = next
    }

    override func skip(_ step: RealmStep) throws(StoreError) {
        guard told != nil, let next = try next(step) else { return }
        if pending == nil { told = next.division } else { pending = next }
    }

    /// Goes on to the version that a step leads to; nil where nothing of it is observed.
    private func next(
        _ step: RealmStep
    ) throws(StoreError) -> (division: SectionDivision<Key>, difference: ListDifference)? {
        let difference = try followed.advance(step)
        if difference.isEmpty, !hasKeyPaths { return nil }
        return (core.division, pending?.difference.followed(by: difference) ?? difference)
    }

    override func tell() {
        guard let old = told else {
            do throws(StoreError) {
                guard try followed.load(in: realm.committed) else { return end() }
            } catch {
                return realm.storageFailed(error)
            }
            told = core.division
            return block(nil)
        }
        guard let (new, results) = pending else { return }
        told = new
        pending = nil
        let difference = SectionDifference(from: old, to: new, results)
        if !difference.isEmpty { block((difference, old, new)) }
    }
}
