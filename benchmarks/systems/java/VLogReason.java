import com.sun.management.OperatingSystemMXBean;
import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import org.semanticweb.rulewerk.core.model.api.PositiveLiteral;
import org.semanticweb.rulewerk.core.reasoner.KnowledgeBase;
import org.semanticweb.rulewerk.core.reasoner.Reasoner;
import org.semanticweb.rulewerk.parser.RuleParser;
import org.semanticweb.rulewerk.reasoner.vlog.VLogReasoner;

/** Runs a program of Rulewerk on VLog, and tells times and counts of atoms on standard output, one a line. */
public class VLogReason {
    public static void main(String[] arguments) throws Exception {
        OperatingSystemMXBean clock = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        KnowledgeBase program = RuleParser.parse(new FileInputStream(arguments[0]));
        try (Reasoner reasoner = new VLogReasoner(program)) {
            long cpu = clock.getProcessCpuTime(), wall = System.nanoTime();
            reasoner.reason();
            double cpuSeconds = (clock.getProcessCpuTime() - cpu) / 1e9, wallSeconds = (System.nanoTime() - wall) / 1e9;
            System.out.println("phase\treason\t" + cpuSeconds + "\t" + wallSeconds);
            for (int place = 1; place < arguments.length; place++) {
                PositiveLiteral atom = RuleParser.parsePositiveLiteral(arguments[place]);
                long count = reasoner.countQueryAnswers(atom).getCount();
                System.out.println("count\t" + atom.getPredicate().getName() + "\t" + count);
            }
        }
    }
}
