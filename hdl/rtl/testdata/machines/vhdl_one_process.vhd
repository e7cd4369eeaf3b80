-- state: idle=0 load=1 work=2 done=3
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
entity k is
    port (clk : in std_logic; rst : in std_logic; go : in std_logic; x : in std_logic_vector(7 downto 0);
        y : out std_logic_vector(7 downto 0));
end k;
architecture rtl of k is
    type state_t is (idle, load, work, done);
    signal state : state_t;
    signal left : unsigned(7 downto 0);
begin
    process (clk) begin
        if rising_edge(clk) then
            case state is
                when idle => if go = '1' then state <= load; end if;
                when load => left <= unsigned(x); state <= work;
                when work => left <= left - 1; if left = 0 then state <= done; end if;
                when done => y <= x; state <= idle;
            end case;
            if rst = '1' then state <= idle; end if;
        end if;
    end process;
end rtl;
