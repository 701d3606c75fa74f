import ObjectModel

extension MixedView {
    /// Hands every link of the value to `body`, those in lists and maps too, a target as often as it
    /// stands there. Cost: linear.
    package func forEachLink(_ body: (_ classNumber: UInt32, _ key: UInt64) -> Void) {
        forEachLink(depth: 0, body)
    }

    private func forEachLink(depth: Int, _ body: (UInt32, UInt64) -> Void) {
        if let link { return body(link.classNumber, link.key) }
        guard depth < ModelLimits.mixedDepthMax else { return }
        for index in 0..<count { element(index).forEachLink(depth: depth + 1, body) }
    }
}
