/// The list that comes of one that somebody has changed who does not see all of its elements.
struct ListMerge {
    /// An element of the result.
    enum Step: Equatable {
        /// An element of the stored list that is not seen.
        case hidden(Int)
        /// An element of the stored list, which is shown at an index and wanted at another; its value may be another one there.
        case kept(stored: Int, shown: Int, wanted: Int)
        /// An element of the wanted list.
        case new(Int)
    }

    /// The elements in their order.
    let steps: [Step]

    /// Compares the lists.
    ///
    /// - `storedCount`: How many elements are stored.
    /// - `isHidden`: Whether one of them is not seen; the others are shown, in their order.
    /// - `shown`: Those.
    /// - `wanted`: The list that was made of them.
    /// - `formers`: For each element of that the shown one that it was, where that is known.
    init(
        storedCount: Int, isHidden: (Int) -> Bool, shown: ComparedList, wanted: ComparedList,
        formers: [Int?]? = nil
    ) {
        var hidden: [[Int]] = [[]]
        var positions: [Int] = []
        for position in 0..<storedCount {
            if isHidden(position) {
                hidden[hidden.count - 1].append(position)
            } else {
                positions.append(position)
                hidden.append([])
            }
        }
        let alignment =
            formers.map { ListAlignment(shown, wanted, formers: $0) }
            ?? ListAlignment(shown, wanted)
        // What follows an element that is shown comes behind it, or behind the last one before it that stays in its place.
        var steps: [Step] = []
        var next = 0
        func takeHidden(before end: Int) {
            while next <= end {
                steps += hidden[next].map { .hidden($0) }
                next += 1
            }
        }
        takeHidden(before: 0)
        for own in 0..<wanted.count {
            guard let index = alignment.former[own] else {
                steps.append(.new(own))
                continue
            }
            let stays = !alignment.moved.contains(own)
            if stays { takeHidden(before: index) }
            steps.append(.kept(stored: positions[index], shown: index, wanted: own))
            if stays { takeHidden(before: index + 1) }
        }
        takeHidden(before: positions.count)
        self.steps = steps
    }
}
