import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.jena.graph.Graph;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.Triple;
import org.apache.jena.reasoner.InfGraph;
import org.apache.jena.reasoner.rulesys.GenericRuleReasoner;
import org.apache.jena.reasoner.rulesys.Rule;
import org.apache.jena.riot.Lang;
import org.apache.jena.riot.RDFDataMgr;
import org.apache.jena.sparql.graph.GraphFactory;
import org.apache.jena.util.iterator.ExtendedIterator;
import org.apache.jena.vocabulary.RDF;

/** Loads triples, reasons by forward rules, and tells times and counts on standard output, one a line. */
public class JenaForward {
    public static void main(String[] arguments) throws Exception {
        OperatingSystemMXBean clock = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Graph graph = GraphFactory.createDefaultGraph();
        long cpu = clock.getProcessCpuTime(), wall = System.nanoTime();
        RDFDataMgr.read(graph, Path.of(arguments[0]).toUri().toString(), Lang.NTRIPLES);
        tell("load", clock.getProcessCpuTime() - cpu, System.nanoTime() - wall);
        GenericRuleReasoner reasoner = new GenericRuleReasoner(Rule.parseRules(Files.readString(Path.of(arguments[1]))));
        reasoner.setMode(arguments[2].equals("rete") ? GenericRuleReasoner.FORWARD_RETE : GenericRuleReasoner.FORWARD);
        // Once for the compiler: what counts is reasoning with code that is warm.
        cpu = clock.getProcessCpuTime();
        wall = System.nanoTime();
        reasoner.bind(graph).prepare();
        tell("warm up", clock.getProcessCpuTime() - cpu, System.nanoTime() - wall);
        cpu = clock.getProcessCpuTime();
        wall = System.nanoTime();
        InfGraph closure = reasoner.bind(graph);
        closure.prepare();
        tell("reason", clock.getProcessCpuTime() - cpu, System.nanoTime() - wall);
        Map<Node, Integer> counts = new HashMap<>();
        ExtendedIterator<Triple> triples = closure.find();
        while (triples.hasNext()) {
            Triple triple = triples.next();
            boolean isType = triple.getPredicate().equals(RDF.type.asNode());
            counts.merge(isType ? triple.getObject() : triple.getPredicate(), 1, Integer::sum);
        }
        counts.forEach((name, count) -> System.out.println("count\t<" + name + ">\t" + count));
    }

    private static void tell(String phase, long cpu, long wall) {
        System.out.println("phase\t" + phase + "\t" + cpu / 1e9 + "\t" + wall / 1e9);
    }
}
