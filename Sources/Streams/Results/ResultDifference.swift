import HoldfastObjectStore

/// The difference of a live result between two versions: by indices for display, and by object.
///
/// A moved object is a deletion and an insertion; changed objects move rather than others. The objects of a deleted section are
/// not among the deletions. The objects of an inserted section are among the insertions.
struct ResultDifference {
    /// An object that is there now and is new, changed or moved.
    struct News {
        /// Its position after the change.
        var index: LiveResult.Index
        var key: UInt64
        var isNew: Bool
    }

    /// The former positions of the objects that went.
    private(set) var deletions: [LiveResult.Index] = []
    /// The new positions of the objects that came.
    private(set) var insertions: [LiveResult.Index] = []
    /// The former positions of the objects that stayed and have changed.
    private(set) var modifications: [LiveResult.Index] = []
    /// The former indices of the sections that went.
    private(set) var sectionsDeleted: [Int] = []
    /// The new indices of the sections that came.
    private(set) var sectionsInserted: [Int] = []
    /// The new indices of the sections that came or have another number of objects.
    private(set) var sectionsChanged: [Int] = []
    /// The object keys of the objects that are not there any more, in their former order.
    private(set) var left: [UInt64] = []
    /// The objects that came, changed or moved, in their new order.
    private(set) var news: [News] = []

    var isEmpty: Bool {
        left.isEmpty && news.isEmpty && sectionsDeleted.isEmpty && sectionsChanged.isEmpty
    }

    /// Compares two results. Cost: n log n.
    ///
    /// - `changed`: The object keys of the objects that have changed, if they are in both.
    init(from old: LiveResult, to new: LiveResult, changed: Set<UInt64>) {
        // Each section's former index, unless it is a new one.
        let origins = Self.origins(old.sections, new.sections)
        let before = Set(old.sections.lazy.flatMap(\.objects))
        let after = Set(new.sections.lazy.flatMap(\.objects))
        for (number, section) in new.sections.enumerated() {
            let origin = origins[number]
            let former = origin.map { old.sections[$0] }
            if former == nil { sectionsInserted.append(number) }
            if former?.count != section.count { sectionsChanged.append(number) }
            let difference = ListDifference(
                from: former?.objects ?? [], to: section.objects, changed: changed, moving: changed)
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

    /// The former index of each section; nil for sections that are new or have moved.
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
