@testable import ObjectStore
import Testing

@Suite("The supply of memory for large transactions")
struct BlockSupplyTests {
    @Test(
        "gives every block to one taker, also while others are made ready and after a new beginning"
    )
    func blocks() {
        let supply = BlockSupply()
        for round in 0..<3 {
            var taken: [UnsafeMutableRawPointer] = []
            for number in 0..<12 {
                let block = supply.take()
                block.storeBytes(of: number, as: Int.self)
                block.storeBytes(
                    of: round, toByteOffset: KernelMemory.blockByteCount - 8, as: Int.self)
                taken.append(block)
            }
            #expect(Set(taken).count == taken.count)
            for (number, block) in taken.enumerated() {
                #expect(block.load(as: Int.self) == number)
                #expect(
                    block.load(fromByteOffset: KernelMemory.blockByteCount - 8, as: Int.self)
                        == round)
                KernelMemory.free(block, KernelMemory.blockByteCount)
            }
            supply.reset()
        }
    }
}
