import HoldfastObjectStore

/// The difference of a live result between two versions: by indices for who shows it, and by object.
///
/// An object that moves is a deletion and an insertion; those that have changed move rather than others. What
/// stands in a section that goes is not among the deletions, what stands in one that comes is among the insertions.
struct ResultDifference {
    /// An object that is there now, with news of it.
    struct News {
        /// Its place after.
        var index: LiveResult.Index
        /// Its object key.
        var key: UInt64
        /// Whether it was not there before.
        var isNew: Bool
    }

    /// Where objects went, by their places before.
    private(set) var deletions: [LiveResult.Index] = []
    /// Where objects came, by their places after.
    private(set) var insertions: [LiveResult.Index] = []
    /// Which objects have changed that stay, by their places before.
    private(set) var modifications: [LiveResult.Index] = []
    /// Which sections went, by their indices before.
    private(set) var sectionsDeleted: [Int] = []
    /// Which sections came, by their indices after.
    private(set) var sectionsInserted: [Int] = []
    /// The sections, by their indices after, that came or whose number of objects has changed.
    private(set) var sectionsChanged: [Int] = []
    /// The object keys of those that are not there any more, in their order before.
    private(set) var left: [UInt64] = []
    /// Those that came, changed or moved, in their order after.
    private(set) var news: [News] = []

    /// Whether the result is the same.
    var isEmpty: Bool {
        left.isEmpty && news.isEmpty && sectionsDeleted.isEmpty && sectionsChanged.isEmpty
    }

    /// Compares two results. Cost: n log n.
    ///
    /// - `changed`: The object keys of those that have changed, where they are in both.
    init(from old: LiveResult, to new: LiveResult, changed: Set<UInt64>) {
        // Of each section after which one it was before, unless it is a new one.
        let origins = Self.origins(old.sections, new.sections)
        let before = Set(old.sections.lazy.flatMap(\.objects))
        let after = Set(new.sections.lazy.flatMap(\.objects))
        for (number, section) in new.sections.enumerated() {
            let origin = origins[number]
            let former = origin.map { old.sections[$0] }
            if former == nil { sectionsInserted.append(number) }
            if former?.count != section.count { sectionsChanged.append(number) }
            let difference = ListDifference(
                from: former?.objects ?? [], to: section.objects, changed: changed,
                moving: changed)
            func places(_ ranges: [Range<Int>], in section: Int) -> [LiveResult.Index] {
                ranges.joined().map { LiveResult.Index(section: section, item: $0) }
            }
            deletions += places(difference.deletions, in: origin ?? 0)
            insertions += places(difference.insertions, in: number)
            modifications += places(difference.modifications, in: origin ?? 0)
            news += difference.toldIndices.map { item in
                let key = section.objects[item]
                return News(
                    index: LiveResult.Index(section: number, item: item), key: key,
                    isNew: !before.contains(key))
            }
        }
        let kept = Set(origins.compactMap(\.self))
        sectionsDeleted = old.sections.indices.filter { !kept.contains($0) }
        left = old.sections.flatMap(\.objects).filter { !after.contains($0) }
    }

    /// Of each section the index that it had before; nil for those that are new or stand elsewhere.
    private static func origins(
        _ old: [LiveResult.Section], _ new: [LiveResult.Section]
    ) -> [Int?] {
        var numbers: [[UInt8]: Int] = [:]
        for (number, section) in old.enumerated() { numbers[section.key] = number }
        var origins: [Int?] = new.map { numbers[$0.key] }
        let known = origins.indices.filter { origins[$0] != nil }
        let stays = Set(known.map { origins[$0] ?? 0 }.longestRise().map { known[$0] })
        for number in known where !stays.contains(number) { origins[number] = nil }
        return origins
    }
}
