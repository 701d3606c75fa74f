import Text

/// Strings or data that are one of several but for case: a search by halves, in which a comparison ends at the first
/// scalar that differs.
///
/// It keeps nothing between calls, so that several threads may use it at once.
final class CaselessSetTest: ValueTest {
    /// The constants in the order of their folded scalars.
    private let constants: [TextConstant]

    init(_ constants: [TextConstant], nullResult: Bool) {
        self.constants = constants.sorted { TextMatch.foldedOrder($0.bytes, $1.bytes) < 0 }
        super.init(nullResult: nullResult)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        constants.hasEqual(
            to: UnsafeRawBufferPointer(start: address, count: count), by: TextMatch.foldedOrder)
    }
}
