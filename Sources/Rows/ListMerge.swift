/// Merges a list that was changed by a principal that does not see all its elements.
struct ListMerge {
    /// An element of the result.
    enum Step: Equatable {
        /// A hidden element of the stored list.
        case hidden(Int)
        /// An element of the stored list, with its index in the shown list and in the wanted list, where its value may differ.
        case kept(stored: Int, shown: Int, wanted: Int)
        /// An element of the wanted list.
        case new(Int)
    }

    /// The elements of the result, in order.
    let steps: [Step]

    /// Compares the lists.
    ///
    /// - `storedCount`: The number of stored elements.
    /// - `isHidden`: Whether a stored element is hidden. The others are shown, in their order.
    /// - `shown`: The shown elements.
    /// - `wanted`: The list that was made from the shown one.
    /// - `formers`: The shown index of each wanted element, if it is known; nil for a new element.
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
        // Hidden elements stay behind the shown element before them, or behind the last one before it that is not moved.
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
